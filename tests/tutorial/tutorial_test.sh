#!/usr/bin/env bash
# tutorial_test.sh TUNER PAGE: the shell commands of a page run as they stand there, in one folder of their own.
set -euo pipefail
tuner=$1 page=$2
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/home" "$work/share" "$work/folder"
ln -s "$tuner" "$work/bin/tuner"
# Without the shipped results; what is known is what the page made.
ln -s "$here/kernel_templates" "$here/configs" "$here/schemas" "$work/share/"
export HOME=$work/home TUNER_SHARE=$work/share PATH=$work/bin:$PATH CUDA_VISIBLE_DEVICES=
unset TUNER_DB TUNER_CACHE TUNER_RESULTS TUNER_SITE TUNER_KERNELS XDG_DATA_HOME XDG_CACHE_HOME
cd "$work/folder"

awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$page" >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 7 ] || { echo "$page: hardly any commands"; exit 1; }
while IFS= read -r line; do
  echo "\$ $line"
  bash -euo pipefail -c "$line" </dev/null >"$work/out" 2>&1 || { rc=$?; cat "$work/out"; echo "exit $rc"; exit 1; }
  cat "$work/out"
done <"$work/commands"
