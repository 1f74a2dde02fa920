// Configurations to artifacts: by processes that may be killed, each with one compile at a time, a content-addressed
// cache on disk in front.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compile/cache.h"
#include "compile/nvcc.h"
#include "compile/nvrtc.h"
#include "compile/render.h"
#include "core/artifact.h"

namespace tuner::proc {
class Crew;
}

namespace tuner::compile {

struct CompileOptions {
  NvrtcCandidate nvrtc;
  Nvcc nvcc;         // for sources of it; empty: found when the first of them comes
  std::string arch;  // "sm_90"
  int jobs = 0;      // 0: usable CPUs
  std::chrono::milliseconds deadline{10000};
  std::chrono::milliseconds nvcc_deadline{180000};
  Cache* cache = nullptr;              // null: none
  std::function<bool()> stop;          // asked between compiles
  std::shared_ptr<proc::Crew> crew{};  // who compiles; null: processes of one call
};

// Processes that compile, kept from one call to the next. To be used, and to go, on one thread.
std::shared_ptr<proc::Crew> compilers();

// How many compiles run at once.
int jobs_of(const CompileOptions& options);

// What the cache knows a source by.
std::string cache_key(const Source& source, const CompileOptions& options);

// Compiles every source; `done(i, artifact)` is called on this thread as each ends, cache hits first. Equal sources are
// compiled once and reported for each. What was killed, at its deadline or for want of memory, gets a second try alone,
// the first few at least. A failure is an artifact with its reason and log; only where nvcc is needed and missing,
// MachineError is thrown.
void compile_all(const std::vector<Source>& sources, const CompileOptions& options,
                 const std::function<void(std::size_t, const Artifact&)>& done);

// The child's side: reads jobs from stdin, frame by frame, and writes a frame to stdout for each. `tuner
// compile-child`.
int compile_child_main();

}  // namespace tuner::compile
