#!/usr/bin/env bash
# manifests_test.sh TUNER PAGE SOURCES: every whole manifest of a page passes `tuner check`, with the kernels of SOURCES.
set -euo pipefail
tuner=$1 page=$2 sources=$3
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work TUNER_SHARE=$here CUDA_VISIBLE_DEVICES=
unset TUNER_DB TUNER_CACHE TUNER_RESULTS TUNER_SITE TUNER_KERNELS XDG_DATA_HOME XDG_CACHE_HOME
cp "$sources"/* "$work"
cd "$work"

awk '/^```yaml$/ { getline; if ($0 == "tuner: 1") { file = "page" ++n ".yaml" } }
     /^```$/ { file = "" }
     file { print >file }' "$page"
found=0
for manifest in page*.yaml; do
  found=$((found + 1))
  "$tuner" check "$manifest" --device host >out 2>&1 || { echo "$page, manifest $found"; cat out; exit 1; }
  grep -q '^verify     right' out || { echo "$page, manifest $found is not verified"; cat out; exit 1; }
done
[ $found -ge 3 ] || { echo "$page: only $found manifests"; exit 1; }
