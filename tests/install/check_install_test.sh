#!/usr/bin/env bash
# check_install_test.sh TUNER CXX: scripts/check_install.sh passes a good tree and names each of three bad ones.
set -euo pipefail
tuner=$1 cxx=$2
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

make_tree() {  # a tree that is good
  rm -rf tree && mkdir -p tree/bin tree/lib tree/share/tuner
  cp "$tuner" tree/bin/tuner
  ln -s "$here/kernel_templates" "$here/configs" tree/share/tuner/
}

expect() {  # RC TEXT
  local rc=0
  "$here/scripts/check_install.sh" tree >out.txt 2>&1 || rc=$?
  if [ $rc -ne "$1" ] || ! grep -qF "$2" out.txt; then
    echo "wanted exit $1 and '$2', got exit $rc and:"
    cat out.txt
    exit 1
  fi
}

make_tree
expect 0 "tree/bin/tuner: newest symbol GLIBC_2."

# A shared C++ library; neither executable nor called .so.
echo '#include <string>
std::string f(int i) { return std::to_string(i) + "x"; }' >cxx.cpp
"$cxx" -shared -fPIC cxx.cpp -o tree/lib/part.bin && chmod 644 tree/lib/part.bin
expect 1 "tree/lib/part.bin needs libstdc++.so.6"
grep -q "part.bin needs .*CXX" out.txt || { echo "its symbols are not named"; exit 1; }

# A symbol of a glibc that is not there yet: of a library that stands in for it.
make_tree
echo 'extern "C" int later() { return 1; }' >libc_later.cpp
echo 'GLIBC_2.99 { global: later; };' >later.map
"$cxx" -shared -fPIC -nostdlib -Wl,--version-script=later.map -Wl,-soname,libc.so.6 libc_later.cpp -o libc_later.so
echo 'extern "C" int later(); extern "C" int g() { return later(); }' >user.cpp
"$cxx" -shared -fPIC -nostdlib user.cpp libc_later.so -o tree/lib/libuser.so
expect 1 "tree/lib/libuser.so needs GLIBC_2.99, newer than glibc 2.35"

# A binary that cannot find its files.
make_tree
rm -r tree/share
expect 1 "the installed binary does not run from another place"
