#!/usr/bin/env bash
# check_tidy.sh BUILD SHARE: .clang-tidy over one file in SHARE of src/ (1: all), every finding an error. Which ones is
# drawn anew by the commit, so that all are seen in time; the long run sees all.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/commit.sh
build=$1
share=$2

seed=$(commit_seed)
files=$(find src -name '*.cpp' | sort | awk -v share="$share" -v seed="$seed" '(NR + seed) % share == 0')
echo "$files" | xargs -r -P "$(nproc)" -n 1 clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p "$build"
echo "tidy: $(echo "$files" | wc -l) files, clean"
