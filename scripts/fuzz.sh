#!/usr/bin/env bash
# fuzz.sh SECONDS: every tests/fuzz/*_fuzz.cpp for so long, under ASan and UBSan, from the corpus and with the
# dictionary beside it (tests/fuzz/corpus/NAME, tests/fuzz/NAME.dict), where it has them. What it finds stays in
# build/asan as crash-*.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1

compgen -G 'tests/fuzz/*_fuzz.cpp' >/dev/null || { echo "no fuzz targets"; exit 1; }
cmake --preset asan >/dev/null
cmake --build build/asan -j "$(nproc)" --target fuzz

fuzz() {
  local name
  name=$(basename "$1" .cpp)
  local folders=("build/asan/corpus/$name")
  mkdir -p "${folders[0]}"
  [ ! -d "tests/fuzz/corpus/$name" ] || folders+=("tests/fuzz/corpus/$name")
  local words=()
  [ ! -f "tests/fuzz/$name.dict" ] || words=(-dict="tests/fuzz/$name.dict")
  "build/asan/$name" "${words[@]}" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
    -artifact_prefix=build/asan/ "${folders[@]}" 2>&1 | tail -n 40
}
export -f fuzz
printf '%s\n' tests/fuzz/*_fuzz.cpp | xargs -P "$(nproc)" -I{} bash -euo pipefail -c 'fuzz "$1" "$2"' _ {} "$seconds"
