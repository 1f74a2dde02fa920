#!/usr/bin/env bash
# package.sh [--from BUILD] [OUT]: OUT/tuner-VERSION-linux-x86_64.tar.gz (OUT: build/package), the stripped install tree
# in one folder of that name; unpacked anywhere it runs. The same build gives the same bytes: fixed order, times
# ($SOURCE_DATE_EPOCH, else the commit's) and owner. Without --from it builds in build/package-tree first.
set -euo pipefail
cd "$(dirname "$0")/.."

build=
if [ "${1:-}" = --from ]; then
  build=${2:?"usage: scripts/package.sh [--from BUILD] [OUT]"}
  shift 2
fi
[ $# -le 1 ] || { echo "usage: scripts/package.sh [--from BUILD] [OUT]" >&2; exit 2; }
out=${1:-build/package}

if [ -z "$build" ]; then
  build=build/package-tree
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON
  cmake --build "$build" --target tuner -j "$(nproc)"
fi

version=$(sed -n 's/^project(tuner VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=tuner-$version-linux-$(uname -m)
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}

mkdir -p "$out"
rm -rf "${out:?}/$name"
cmake --install "$build" --prefix "$out/$name" --strip >/dev/null
tar --create --directory "$out" --sort=name --format=gnu --mtime="@$epoch" --owner=0 --group=0 --numeric-owner \
  --mode=u+rwX,go+rX,go-w "$name" | gzip -9 --no-name >"$out/$name.tar.gz.part"
mv "$out/$name.tar.gz.part" "$out/$name.tar.gz"
rm -rf "${out:?}/$name"
echo "$out/$name.tar.gz: $(stat -c %s "$out/$name.tar.gz") bytes"
