#!/usr/bin/env bash
# The tests, from nothing: set-up, build, unit and golden tests, static checks, sanitizers, fuzzing, covering compiles.
# `--long` runs everything, including what takes hours. Prints a summary; exits 1 where anything is red.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/toolkit.sh

long=no
for argument in "$@"; do
  case $argument in
    --long) long=yes ;;
    *) echo "usage: scripts/test.sh [--long]" >&2; exit 2 ;;
  esac
done

[ $long = no ] || export TUNER_LONG_TESTS=1
jobs=$(nproc)
build=build/test
logs=build/test-logs
mkdir -p "$logs"
summary=()
red=0

# stage NAME COMMAND...: runs it with its output in a log; shows the end of the log where it fails, and goes on.
stage() {
  local name=$1 began=$SECONDS result=ok
  shift
  printf '== %s\n' "$name"
  if ! "$@" >"$logs/${name// /-}.log" 2>&1; then
    result=FAILED
    red=1
    tail -n 60 "$logs/${name// /-}.log"
  fi
  summary+=("$(printf '%-8s %4d s  %s' "$result" $((SECONDS - began)) "$name")")
  [ $result = ok ]
}

# A folder at a time (unity) and lightly optimised: a third of the time. Assertions are on. clang-tidy reads the files
# one by one, as the plain build does.
configure() {
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DCMAKE_UNITY_BUILD=ON -DTUNER_WERROR=ON \
    -DTUNER_BUILD_TESTS=ON -DTUNER_FAST_TESTS=ON
}

# As the README says it: no preset, default generator, no test library.
plain_configure() {
  rm -rf build/plain && cmake -S . -B build/plain -DCMAKE_BUILD_TYPE=Release
}

unit_and_golden() {
  ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-tests=error
}

skips() { ./scripts/check_skips.sh "$build/Testing/Temporary/LastTest.log"; }

install_tree() {
  rm -rf build/install && cmake --install "$build" --prefix build/install && ./scripts/check_install.sh build/install &&
    ./scripts/check_package.sh "$build"
}

static_checks() {
  ./scripts/check_layers.sh && ./scripts/check_sizes.sh && ./scripts/check_words.sh && ./scripts/check_format.sh
}

began=$SECONDS
stage "set-up" ./scripts/setup.sh --tests || exit 1
use_nvcc
echo "machine: $jobs processors; $(has_gpu && echo "a GPU" || echo "no GPU"); NVRTC $(has_nvrtc && echo here || echo absent); nvcc $(has_nvcc && echo here || echo absent)"

stage "static checks" static_checks
stage "plain configure" plain_configure
if stage "configure" configure && stage "build" cmake --build "$build" -j "$jobs" -- -k 0; then
  stage "unit and golden tests" unit_and_golden
  stage "skipped tests" skips
  stage "install tree" install_tree
  stage "covering compiles" ./scripts/check_compiles.sh "$build/tuner" $([ $long = no ] || echo 100)
fi
stage "fuzz" ./scripts/fuzz.sh $([ $long = yes ] && echo 600 || echo 20)
stage "sanitizers" ./scripts/sanitize.sh
stage "clang-tidy" ./scripts/check_tidy.sh build/plain $([ $long = yes ] && echo 1 || echo 12)
if [ $long = yes ]; then
  stage "all compiles of t4.yaml" "$build/tuner" compile configs/t4.yaml --arch sm_75
  stage "all compiles of h200.yaml" "$build/tuner" compile configs/h200.yaml --arch sm_90
  stage "seeded faults" ./scripts/fuzz_seeded.sh 600
  stage "plain build" cmake --build build/plain -j "$jobs"
fi

printf '\n'
printf '%s\n' "${summary[@]}"
cat "$logs/skipped-tests.log" 2>/dev/null
printf '%s in %d s; logs in %s\n' "$([ $red -eq 0 ] && echo green || echo RED)" $((SECONDS - began)) "$logs"
exit $red
