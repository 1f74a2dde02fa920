#!/usr/bin/env bash
# check_install.sh PREFIX: what a user gets. Shared objects come from libc alone, no symbol is newer than glibc 2.35,
# and the binary starts and finds its files when the tree has moved.
set -euo pipefail
prefix=$1

faults=0
fault() {
  echo "$1"
  faults=1
}

[ -x "$prefix/bin/tuner" ] || { echo "no $prefix/bin/tuner"; exit 1; }
while read -r object; do
  while read -r needed; do
    case $needed in
      libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | ld-linux-x86-64.so.2 | libtuner.so*) ;;
      *) fault "$object needs $needed" ;;
    esac
  done < <(objdump -p "$object" | awk '$1 == "NEEDED" { print $2 }')
  newest=$(objdump -T "$object" | grep -o 'GLIBC_[0-9.]*' | sort -u -V | tail -n 1)
  if [ "$(printf 'GLIBC_2.35\n%s\n' "$newest" | sort -V | tail -n 1)" != GLIBC_2.35 ]; then
    fault "$object needs $newest, newer than glibc 2.35"
  fi
  echo "$object: newest symbol $newest"
done < <(find "$prefix" -type f \( -perm -100 -o -name '*.so*' \) -exec sh -c 'head -c 4 "$1" | grep -q ELF && echo "$1"' _ {} \;)

moved=$(mktemp -d)
trap 'rm -rf "$moved"' EXIT
cp -a "$prefix" "$moved/elsewhere"
tuner=$moved/elsewhere/bin/tuner
(
  cd / && export HOME=$moved XDG_DATA_HOME=$moved/data XDG_CACHE_HOME=$moved/cache
  "$tuner" --version && "$tuner" --help >/dev/null && "$tuner" list >/dev/null
) || fault "the installed binary does not run from another place"
exit $faults
