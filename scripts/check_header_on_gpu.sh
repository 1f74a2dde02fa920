#!/usr/bin/env bash
# Exports a header, renders the source it answers with, builds both with nvcc and checks the launch on this GPU.
#   scripts/check_header_on_gpu.sh TUNER GPU_NAME SHAPE...
# The database is the tool's own ($TUNER_DB). Needs a GPU and nvcc.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
tuner=$1 gpu=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$tuner" export --format header -o "$folder/tuner_best.h"
for shape in "$@"; do
  "$tuner" explain --kernel gemv_f16 --shape "$shape" --source > "$folder/kernel.cu"
  nvcc -std=c++17 -O2 -arch=native -I "$folder" -o "$folder/launch" "$here/tests/header_launch/launch.cu"
  "$folder/launch" "$gpu" "${shape%x*}" "${shape#*x}"
done
