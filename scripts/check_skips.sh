#!/usr/bin/env bash
# check_skips.sh LastTest.log...: a skipped test is a fault unless it says exactly "needs a GPU", "needs NVRTC",
# "needs nvcc", "needs Slurm", "needs sshd" or "needs recorded sweeps", and that is true of this machine. Reads the log that ctest leaves in <build>/Testing/Temporary.
set -euo pipefail
source "$(dirname "$0")/toolkit.sh"

allowed="|"
has_gpu || allowed+="needs a GPU|"
has_nvrtc || allowed+="needs NVRTC|"
has_nvcc || allowed+="needs nvcc|"
has_slurm || allowed+="needs Slurm|"
has_sshd || allowed+="needs sshd|"
[ -n "${TUNER_REPLAYS:-}" ] || allowed+="needs recorded sweeps|"

# gtest prints "file:line: Skipped", then the reason, then "[  SKIPPED ] name"; other tests print "SKIP: reason".
awk -v allowed="$allowed" '
  function judge(reason) {
    count[reason]++; seen++
    if (index(allowed, "|" reason "|") == 0) {
      printf "not a reason to skip here: \"%s\" (%s)\n", reason, test; faults++
    }
  }
  /^[0-9]+\/[0-9]+ Test(ing)?: / { test = $3 }
  waiting && NF { judge($0); waiting = 0; next }
  /: Skipped$/ { waiting = 1 }
  /^SKIP: / { judge(substr($0, 7)); marked++ }
  /^\[  SKIPPED \] .* \([0-9]+ ms\)$/ { marked++ }
  /^Test (Skipped|Not Run)/ { if (!/Skipped/) { printf "not run: %s\n", test; faults++ } }
  END {
    if (marked != seen) { printf "%d tests skipped, %d reasons given\n", marked, seen; faults++ }
    for (reason in count) printf "skipped %d: %s\n", count[reason], reason
    if (!seen) print "skipped 0"
    if (faults) exit 1
  }
' "$@"
