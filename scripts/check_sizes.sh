#!/usr/bin/env bash
# Hard limits: .cpp 400 lines, .h 250, a function 60. Prints the ten largest files and exits 1 where a limit is passed.
# Functions are found by layout (formatted code, bodies that close in the first or third column); clang-tidy counts too.
set -euo pipefail
cd "$(dirname "$0")/.."

files=$(find src tests -name '*.h' -o -name '*.cpp' | sort)
# shellcheck disable=SC2086
awk '
  function limit(file) { return file ~ /\.h$/ ? 250 : 400 }
  function close_body(indent) {
    if (start[indent] && FNR - start[indent] + 1 > 60) {
      printf "%s:%d: function of %d lines, at most 60\n", FILENAME, start[indent], FNR - start[indent] + 1
      faults++
    }
    start[indent] = 0
  }
  FNR == 1 { start[0] = start[2] = 0 }
  { lines[FILENAME]++ }
  /^[^ #\/}].*\{$/ && !/^(namespace|struct|class|enum|union|extern|template.*(struct|class)) / && !/= *\{$/ { start[0] = FNR }
  /^  [^ #\/}].*\) (const |noexcept |override )*\{$/ { if (!start[0]) start[2] = FNR }
  /^  \}/ { if (!start[0]) close_body(2) }
  /^\}/ { close_body(0) }
  END {
    for (file in lines) if (lines[file] > limit(file)) {
      printf "%s: %d lines, at most %d\n", file, lines[file], limit(file); faults++
    }
    if (faults) exit 1
  }
' $files
echo "sizes: the ten largest"
# shellcheck disable=SC2086
wc -l $files | grep -v ' total$' | sort -rn | sed -n 1,10p
