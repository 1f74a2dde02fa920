#!/usr/bin/env bash
# fuzz_seeded.sh SECONDS [SEED...]: whether the fuzz targets find faults. Puts one fault at a time into a copy of the
# sources (build/seeded), fuzzes its target for at most so long, from the corpus alone, and expects that it is found.
# Prints how long each took; exits 1 where one is not found.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
shift
wanted=" $* "
copy=build/seeded
missed=0

# Writes what differs, so that little is built again.
restore() {
  local path
  while read -r path; do
    if ! cmp -s "$path" "$copy/$path"; then
      mkdir -p "$copy/$(dirname "$path")"
      cp "$path" "$copy/$path"
    fi
  done < <(find CMakeLists.txt CMakePresets.json cmake src db tests/fuzz tests/unit/spec -type f)
}

# seed NAME TARGET FILE TEXT FAULT SAID: FAULT stands in the place of TEXT; SAID is what the sanitizer says of it.
seed() {
  local name=$1 target=$2 file=$3 text=$4 fault=$5 said=$6
  [ "$wanted" = "  " ] || [[ $wanted == *" $name "* ]] || return 0
  restore
  local source log=$copy/$name.log began
  source=$(cat "$file")
  [[ $source == *"$text"* ]] || { echo "$file no longer has: $text" >&2; exit 1; }
  printf '%s\n' "${source/"$text"/"$fault"}" >"$copy/$file"
  (cd $copy && cmake --preset asan >/dev/null && cmake --build build/asan -j "$(nproc)" --target "$target") >"$log" 2>&1 ||
    { tail -n 40 "$log" >&2; exit 1; }
  rm -rf $copy/corpus
  mkdir $copy/corpus
  began=$SECONDS
  $copy/build/asan/"$target" -dict="tests/fuzz/$target.dict" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
    -artifact_prefix=$copy/ $copy/corpus "tests/fuzz/corpus/$target" >"$log" 2>&1 || true
  if grep -qE "$said" "$log"; then
    echo "found $name with $target in $((SECONDS - began)) s"
  else
    echo "MISSED $name with $target: $log"
    missed=1
  fi
}

seed arity expr_fuzz src/space/parser.cpp ' || count > function->max_arguments' '' 'AddressSanitizer|index 2 out of bounds'
seed overflow expr_fuzz src/space/evaluator.cpp 'return a / b + (a % b != 0 ? 1 : 0);' 'return (a + b - 1) / b;' \
  'signed integer overflow'
seed fill place_fuzz src/spec/fills.cpp 'if (numbers.size() != 2) refuse(at);' '' 'heap-buffer-overflow'
exit $missed
