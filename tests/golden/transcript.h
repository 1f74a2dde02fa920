// A golden: commands, the files they read, and what they print.
//
//   # a comment; `# needs nvrtc` and `# needs no driver` skip the file where that is not so
//   <<< NAME             a file in the working folder, up to the line >>>
//   $ tuner best --shape 0x5
//   exit 2
//   out| a line of standard output
//   err| a line of standard error
//
// Words of a command stand between spaces; '...' keeps spaces together; NAME=VALUE in front goes into its environment.
// In expected lines %int, %float and %any stand for a number, a number with a point, and any text; a line `out| %lines`
// for any number of lines. $TMP is the working folder, $SHARE a share folder without results, $SOURCE the source tree,
// which has them, $FAKE_CUDA a driver with NVML that TUNER_FAKE_GPU scripts (tests/helpers). The kernels of
// tests/golden/kernels are known beside the shipped ones: what is pinned about them stays when those change.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tuner::golden {

struct Call {
  std::string line;                   // behind "$ "
  std::vector<std::string> expected;  // "exit 2", "out| ...", "err| ..."
};

struct Part {
  enum class Kind { text, file, call } kind = Kind::text;
  std::vector<std::string> lines;  // as they stand
  std::string name;                // of a file
  Call call;
};

std::vector<Part> parse_transcript(const std::string& text);
// "nvrtc", "no driver".
std::vector<std::string> needs(const std::vector<Part>& parts);

// Whether `actual` is what `expected` describes.
bool line_matches(const std::string& expected, const std::string& actual);
bool lines_match(const std::vector<std::string>& expected, const std::vector<std::string>& actual);
// `actual`, but a line that some expected one describes stands as it was written.
std::vector<std::string> updated(const std::vector<std::string>& expected, const std::vector<std::string>& actual);
std::string print_transcript(const std::vector<Part>& parts);

}  // namespace tuner::golden
