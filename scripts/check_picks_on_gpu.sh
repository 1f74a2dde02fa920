#!/usr/bin/env bash
# check_picks_on_gpu.sh TUNER PICKS [SHAPE [SWEEPS [ROUNDS]]]: fresh sweeps of gemv_f16 at SHAPE (4096x4096) on the GPU
# that is here, 20 of them, and their answers against the best of 2,000 paired rounds of all of them, the 50 best and 50
# random survivors (tests/picks). About three minutes a shape; exits as PICKS does.
set -euo pipefail
tuner=$(readlink -f "$1")
picks=$(readlink -f "$2")
shape=${3:-4096x4096}
sweeps=${4:-20}
rounds=${5:-2000}
templates=$(readlink -f "$(dirname "$0")/../kernel_templates")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TUNER_CACHE=$folder/cache TUNER_SHARE=$folder/share
# Without the shipped results: what is known is what these sweeps measured.
mkdir "$TUNER_SHARE"
ln -s "$templates" "$TUNER_SHARE/kernel_templates"
ln -s "$(dirname "$templates")/configs" "$TUNER_SHARE/configs"

began=$SECONDS
for n in $(seq "$sweeps"); do
  "$tuner" sweep --kernel gemv_f16 --shape "$shape" --db "$folder/$n.db" --quiet >/dev/null
done
printf '%s: %d sweeps in %d s\n' "$shape" "$sweeps" $((SECONDS - began))
mapfile -t databases < <(seq -f "$folder/%g.db" "$sweeps")
"$picks" "$tuner" "$templates" "$templates/gemv_f16.yaml" "$shape" cuda:0 "$rounds" "${databases[@]}" | sed "s:$folder/::"
