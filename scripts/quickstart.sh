#!/usr/bin/env bash
# From nothing to a first answer: installs what is missing (and says so first), builds, sweeps configs/quickstart.yaml
# on the GPU that is here, or checks it on the host device where there is none, and prints what was found.
set -euo pipefail
cd "$(dirname "$0")/.."

began=$SECONDS
./scripts/setup.sh

build=build/quickstart
mkdir -p build
echo "== build ($build)"
# A folder at a time (unity): less than half the time of the plain build.
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build" --target tuner -j "$(nproc)"

tuner=$build/tuner
echo "== what is here"
"$tuner" doctor

if "$tuner" doctor --json | tr -d ' \n' | grep -q '"gpus":\[{'; then
  device=auto
else
  device=host
  echo "== no GPU that can be used: the host device runs the same kernels, checks their results and shows no times"
fi

echo "== sweep (configs/quickstart.yaml, --device $device)"
sweep_began=$SECONDS
"$tuner" sweep configs/quickstart.yaml --device $device
sweep_s=$((SECONDS - sweep_began))

echo "== best"
shape=$(sed -n 's/.*shapes: *\[\([0-9]*x[0-9]*\).*/\1/p' configs/quickstart.yaml | head -n 1)
"$tuner" best --shape "$shape" --device $device
echo "== done in $((SECONDS - began)) s, $sweep_s s of it the sweep; next: $tuner best --help"
