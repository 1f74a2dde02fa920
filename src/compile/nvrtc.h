// NVRTC, opened at run time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/artifact.h"
#include "core/gpu.h"

namespace tuner::compile {

// One libnvrtc that was found, loadable or not.
struct NvrtcCandidate {
  std::string path;
  int major = 0, minor = 0;
  std::string version;     // "13.0.88", the build included where it can be read
  std::vector<int> archs;  // it can compile for
  std::string problem;     // why it is not taken; empty: usable
};

// Every libnvrtc: `wanted` (a flag) or $TUNER_NVRTC alone when set, else $CUDA_HOME, the usual folders, the loader's
// path and Python's nvidia/*/lib, newest first, each asked for its version in a child process of this program
// (proc/program.h). Asked once for each file as long as it does not change. `wanted` may be a folder.
std::vector<NvrtcCandidate> find_nvrtc(const std::string& wanted = {});

// The newest that this driver (CUDA driver version as 13000; 0: no driver) can load and that knows `arch`. Throws
// MachineError saying what was found and why none fits.
NvrtcCandidate choose_nvrtc(const std::string& wanted, int arch, int cuda_driver);

// Several lines: each that was found, with what it is or why it is not taken.
std::string describe(const std::vector<NvrtcCandidate>& found);

// As choose_nvrtc, from those given. `origin` is the flag or variable that named the only one, else empty.
NvrtcCandidate choose_from(const std::vector<NvrtcCandidate>& found, int arch, int cuda_driver,
                           const std::string& origin = {});

// The child's side: opens the library at `path`, compiles a trivial kernel and prints what it is as one JSON line.
// `tuner nvrtc-info PATH`.
int nvrtc_info_main(const std::string& path);

}  // namespace tuner::compile
