#!/usr/bin/env bash
# Includes point one way. The table is CMakeLists.txt's own `tuner_layer(NAME USES ...)` lines; each vendor library is
# included in one folder of src/; nlohmann/json never in a header. Prints every fault as file:line and exits 1.
set -euo pipefail
cd "$(dirname "$0")/.."

sources=$(find src -name '*.h' -o -name '*.cpp' | sort)
# shellcheck disable=SC2086  # file names have no blanks, see check_words.sh
awk '
  function fault(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; faults++ }
  BEGIN {
    vendor["yaml-cpp/"] = "spec"; vendor["sqlite3"] = "store"; vendor["CLI/"] = "cli"
    vendor["boost/context/"] = "device"; vendor["cuda.h"] = "device"; vendor["cublas"] = "device"
    vendor["nvml.h"] = "device"; vendor["nvtx3/"] = "device"
    vendor["nvrtc.h"] = "compile"; vendor["httplib"] = "serve"
    banned["boost/"] = "of Boost only Context is used"; banned["gtest/"] = "tests only"
    banned["fmt/std.h"] = "newer than the oldest fmt we build with"; banned["cuda_runtime"] = "driver API only"
    banned["format>"] = "not in g++ 12: use fmt"; banned["source_location>"] = "not in clang 14"
  }
  FILENAME == "CMakeLists.txt" {
    if (match($0, /^ *tuner_layer\(/)) {
      line = substr($0, RLENGTH + 1); sub(/\).*/, "", line)
      n = split(line, word, / +/); layer = word[1]; known[layer] = 1; uses[layer, layer] = 1; reading = 0
      for (i = 2; i <= n; i++) {
        if (word[i] == "USES") reading = 1
        else if (word[i] == "VENDOR") reading = 0
        else if (reading) uses[layer, word[i]] = 1
      }
    }
    next
  }
  FNR == 1 { split(FILENAME, part, "/"); folder = part[2]; if (folder ~ /\.cpp$/) folder = "main" }
  FNR == 1 && folder != "main" && !(folder in known) { fault("no tuner_layer line in CMakeLists.txt for " folder) }
  match($0, /^[ \t]*#[ \t]*include[ \t]*[<"]/) {
    mark = substr($0, RLENGTH, 1); target = substr($0, RLENGTH + 1)
    bare = target; sub(/[>"].*/, "", bare)
    if (mark == "\"") {
      if (split(bare, part, "/") < 2) fault("write \"folder/" bare "\"")
      else if (folder != "main" && !((folder, part[1]) in uses)) fault(folder " may not use " part[1])
      if ((getline unused < ("src/" bare)) < 0) fault("no such file: src/" bare)
      close("src/" bare)
    }
    allowed = 0
    for (v in vendor) if (index(bare, v) == 1) {
      allowed = 1
      if (vendor[v] != folder) fault("<" bare "> belongs to " vendor[v])
    }
    for (b in banned) if (index(target, b) == 1 && !allowed) fault("<" bare ">: " banned[b])
    if (FILENAME ~ /\.h$/ && index(bare, "nlohmann/") == 1) fault("nlohmann/json in a header")
  }
  FILENAME ~ /\.h$/ { if (/^#pragma once/) once[FILENAME] = 1; header[FILENAME] = 1 }
  END {
    for (h in header) if (!(h in once)) { printf "%s:1: no #pragma once\n", h; faults++ }
    if (faults) exit 1
  }
' CMakeLists.txt $sources
echo "layers: $(echo "$sources" | wc -l) files, every include allowed"
