// Sources built for the host device and launched on it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "compile/host_build.h"
#include "core/execution.h"
#include "device/device.h"

namespace tuner::test {

// One source with the headers of intrinsics and clusters at hand; `text` without it is as the compiler sees it.
compile::Source source_of(const std::string& text, const std::vector<std::string>& entries = {"kernel"});

// In order of `sources`; every one built or with its reason.
std::vector<Artifact> build(const std::vector<compile::Source>& sources, compile::HostBuildOptions options = {});

// A kernel of buffers of 32-bit integers and what came of it.
struct Launch {
  std::string text;
  std::vector<std::int64_t> buffers{64};  // elements of each; they are filled with zeros
  Dim3 grid, block{32, 1, 1};
  std::int64_t shared_bytes = 0;
  Dim3 cluster;
  bool cooperative = false;
  device::Placement placement = device::Placement::ends_at_fault;
  std::uint64_t order_seed = 0;
  std::chrono::milliseconds deadline{5000};
};

struct Launched {
  device::RunResult result;
  std::vector<std::vector<int>> buffers;
};

// `text` defines `kernel`, whose parameters are as many int* as there are buffers, named a, b, c.
Launched launch(const Launch& launch);

}  // namespace tuner::test
