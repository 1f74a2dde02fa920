#!/usr/bin/env bash
# Builds and runs the unit tests that read foreign bytes or own memory, under ASan and UBSan.
# The host device's fibers stay out: ASan does not follow stacks that are switched by hand.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/asan
jobs=$(nproc)
layers="space spec proc compile repack store measure"

targets=()
names=
for layer in $layers; do
  compgen -G "tests/unit/$layer/*.cpp" >/dev/null || continue
  targets+=("${layer}_test")
  names+="${names:+|}$layer"
done
cmake --preset asan >/dev/null
cmake --build "$build" -j "$jobs" --target "${targets[@]}"
export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
# Simulated sweeps try statistics, not memory.
ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-tests=error -E SimulatedSweeps -R "^($names)\\."
