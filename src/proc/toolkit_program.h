// A program of a CUDA toolkit: where it may lie, and what it says of itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner::proc {

// The value of an environment variable; empty where it is not set.
std::string environment(const char* name);

struct ToolkitProgram {
  std::string path;     // empty: none
  std::string version;  // "13.0.88"
  std::string problem;  // why it is not taken; empty: usable
};

struct ToolkitSearch {
  const char* name;               // "nvcc"
  const char* variable;           // "TUNER_NVCC": names the only one where it is set
  std::string_view before;        // what stands in front of the version in the answer to --version
  std::vector<std::string> more;  // files that are looked at last
  const char* nowhere;            // the problem where there is none
};

// Of $CUDA_HOME/bin, $CUDA_PATH/bin, PATH, /usr/local/cuda/bin and `more` the first that can be run.
ToolkitProgram find_toolkit_program(const ToolkitSearch& search);

}  // namespace tuner::proc
