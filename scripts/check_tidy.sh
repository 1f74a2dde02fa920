#!/usr/bin/env bash
# check_tidy.sh BUILD [yes]: .clang-tidy over the sources, every finding an error. By default the files that changed
# against the last commit but one, at most 20, else (with `yes`) all.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
all=${2:-no}

files() {
  find src -name '*.cpp' | sort
}
files | xargs -r -P "$(nproc)" -n 1 clang-tidy --quiet -p "$build"
