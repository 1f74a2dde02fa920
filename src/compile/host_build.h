// Templates built by the system's C++ compiler for the host device: many configurations in one shared object.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compile/compiler.h"

namespace tuner::compile {

struct HostBuildOptions {
  std::string compiler;  // empty: $CXX, else g++, else c++
  int jobs = 0;          // translation units at once; 0: usable CPUs
  int per_unit = 40;     // configurations in one translation unit
  std::chrono::milliseconds deadline{120000};
  Cache* cache = nullptr;
  std::function<bool()> stop;
};

// As compile_all: each artifact's image is the path of a shared object and host_index the configuration within it. A
// configuration that does not compile does not take its neighbours with it (the unit is split). Throws MachineError
// when there is no compiler.
void host_build_all(const std::vector<Source>& sources, const HostBuildOptions& options,
                    const std::function<void(std::size_t, const Artifact&)>& done);

// What the cache knows a source by, built with a compiler of this version.
std::string host_cache_key(const Source& source, const std::string& compiler_version);

// The words that start the C++ compiler. Throws MachineError when there is none.
std::vector<std::string> host_compiler_command();

// "g++ 12.2.0". Throws MachineError when there is no compiler.
std::string host_compiler_version(const std::string& compiler = {});

}  // namespace tuner::compile
