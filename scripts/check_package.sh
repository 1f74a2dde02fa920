#!/usr/bin/env bash
# check_package.sh BUILD: packs BUILD twice; both are the same bytes, and what is unpacked passes check_install.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

./scripts/package.sh --from "$1" "$work/a"
./scripts/package.sh --from "$1" "$work/b" >/dev/null
cmp "$work"/a/*.tar.gz "$work"/b/*.tar.gz || { echo "the same build gave two packages"; exit 1; }
tar -xzf "$work"/a/*.tar.gz -C "$work"
if tar -tvzf "$work"/a/*.tar.gz | awk '$2 != "0/0" { exit 1 }'; then :; else echo "an owner is in the package"; exit 1; fi
./scripts/check_install.sh "$work"/tuner-*-linux-*/
