#!/usr/bin/env bash
# From nothing to a first answer: installs what is missing (and says so first), builds, sweeps configs/quickstart.yaml
# on the GPU that is here, or checks it on the host device where there is none, and prints what was found.
set -euo pipefail
cd "$(dirname "$0")/.."

began=$SECONDS
./scripts/setup.sh

build=build/quickstart
echo "== build ($build)"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build" --target tuner -j "$(nproc)"

tuner=$build/tuner
echo "== what is here"
"$tuner" doctor || true

# `--device auto` ends with exit code 1 where no GPU can be used.
device=auto
sweep_began=$SECONDS
echo "== sweep"
rc=0
"$tuner" sweep configs/quickstart.yaml || rc=$?
if [ $rc -eq 1 ]; then
  echo "== no GPU that can be used: the same sweep on the host device, which checks results and shows no times"
  device=host
  "$tuner" sweep configs/quickstart.yaml --device host
elif [ $rc -ne 0 ]; then
  exit $rc
fi
sweep_s=$((SECONDS - sweep_began))

echo "== best"
if [ $device = host ]; then
  "$tuner" best --shape 4096x14336 --device host
else
  "$tuner" best --shape 4096x4096
fi
echo "== done in $((SECONDS - began)) s, $sweep_s s of it the sweep; next: $tuner best --help"
