// A CUDA driver, NVML and cuBLAS for tests: memory is the host's, kernels do nothing, results are scripted, and every
// call that matters is written down. Loaded through TUNER_LIBCUDA, TUNER_LIBNVML and TUNER_CUBLAS.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

struct FakeLaunch {
  std::string entry;
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  std::vector<std::uint64_t> arguments;  // each read with the width that parameter_bytes says
};

struct FakeGemm {
  int op_a, op_b, m, n, k, a_type, lda, b_type, ldb, c_type, ldc, compute_type, algorithm;
  std::uint64_t a, b, c;
};

struct FakeCuda {
  // --- script ---
  std::map<std::string, int> results;  // what the entry of this name returns from now on
  int stream_result = 0;               // of cuStreamQuery once something was launched; 600: for ever
  int queries_until_done = 0;          // how often cuStreamQuery says "not ready" first
  std::vector<int> parameter_bytes;    // of every launch; fewer than it takes: none is read
  std::vector<float> elapsed_ms;       // what cuEventElapsedTime says, in order; then 0.5
  std::size_t free_bytes = 1000;
  std::string gpu_name = "Fake GPU";
  std::map<int, int> attributes;  // by cuDeviceGetAttribute's number; else 7
  int cublas_status = 0;
  unsigned long long clock_reasons = 0;

  // --- what happened ---
  std::vector<std::string> calls;  // "launch k", "memset 0x00 x64", "begin", "record external", "end", ...
  std::vector<FakeLaunch> launches;
  std::vector<FakeGemm> gemms;
  int live_graphs = 0, live_events = 0, live_modules = 0, live_buffers = 0;
};

// The library's own entries: its state, and what empties it.
using FakeCudaEntry = FakeCuda* (*)();
inline constexpr const char* kFakeCudaEntry = "fake_cuda";
using FakeCudaReset = void (*)();
inline constexpr const char* kFakeCudaReset = "fake_cuda_reset";
