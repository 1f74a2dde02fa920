#!/usr/bin/env bash
# check_install.sh PREFIX: what a user gets. Of every ELF file in the tree: shared objects come from libc alone, no
# symbol is newer than glibc 2.35, none is libstdc++'s; and the binary starts and finds its files when the tree has
# moved. Everything that is wrong is named.
set -euo pipefail
prefix=$1

faults=0
fault() {
  echo "$1"
  faults=1
}

elf_files() {
  local file
  while IFS= read -r -d '' file; do
    if [ "$(head -c 4 "$file" | tr -d '\0')" = $'\177ELF' ]; then printf '%s\0' "$file"; fi
  done < <(find "$prefix" -type f -size +3c -print0 | sort -z)
}

check_object() {  # FILE
  local needed newest versions
  while read -r needed; do
    case $needed in
      libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | ld-linux-x86-64.so.2 | libtuner.so*) ;;
      *) fault "$1 needs $needed" ;;
    esac
  done < <(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }')
  versions=$(objdump -T "$1" 2>/dev/null | grep -oE '(GLIBC|GLIBCXX|CXXABI|GCC)_[0-9.]+' | sort -u -V) || versions=
  newest=$(grep '^GLIBC_' <<<"$versions" | tail -n 1) || newest=
  if [ "$(printf 'GLIBC_2.35\n%s\n' "$newest" | sort -V | tail -n 1)" != GLIBC_2.35 ]; then
    fault "$1 needs $newest, newer than glibc 2.35"
  fi
  if grep -v '^GLIBC_' <<<"$versions" | grep -q .; then
    fault "$1 needs $(grep -v '^GLIBC_' <<<"$versions" | tail -n 1), which libc does not have"
  fi
  echo "$1: newest symbol ${newest:-none}"
}

[ -x "$prefix/bin/tuner" ] || { echo "no $prefix/bin/tuner"; exit 1; }
objects=0
while IFS= read -r -d '' object; do
  check_object "$object"
  objects=$((objects + 1))
done < <(elf_files)
[ $objects -gt 0 ] || fault "no ELF file in $prefix"

moved=$(mktemp -d)
trap 'rm -rf "$moved"' EXIT
cp -a "$prefix" "$moved/elsewhere"
tuner=$moved/elsewhere/bin/tuner
(
  cd / && export HOME=$moved XDG_DATA_HOME=$moved/data XDG_CACHE_HOME=$moved/cache
  "$tuner" --version && "$tuner" --help >/dev/null && "$tuner" list >/dev/null
) || fault "the installed binary does not run from another place"
exit $faults
