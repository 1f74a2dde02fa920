#!/usr/bin/env bash
# check_compiles.sh TUNER [LIMIT]: a covering set of every kernel template compiles for every architecture: LIMIT
# configurations a kernel at most, or what each file of tests/compiles says, which is at most 2,000 in all. Which
# configurations is drawn anew by the commit. Needs NVRTC; without one it says so and passes.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/toolkit.sh
source scripts/commit.sh
tuner=$1
most=${2:-}

if ! has_nvrtc; then
  echo "no NVRTC here: nothing compiled"
  exit 0
fi

seed=$(commit_seed)
echo "seed $seed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TUNER_CACHE=$work/cache
total=0
for sweep in tests/compiles/*.yaml; do
  limit=${most:-$(sed -n 's/^# limit: //p' "$sweep")}
  for arch in sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120; do
    began=$SECONDS
    "$tuner" compile "$sweep" --kernels kernel_templates/probes --arch $arch --limit "$limit" --seed "$seed" --quiet --json >"$work/out.json"
    if grep -n -A1 '"reason": "compile_' "$work/out.json"; then
      echo "FAILED: tuner compile $sweep --arch $arch --limit $limit --seed $seed"
      exit 1
    fi
    compiled=$(grep -c '"duplicate":' "$work/out.json")
    total=$((total + compiled))
    echo "$sweep $arch: $compiled compiled in $((SECONDS - began)) s"
  done
done
echo "$total compiles"
[ "$total" -gt 0 ] && { [ -n "$most" ] || [ "$total" -le 2000 ]; }
