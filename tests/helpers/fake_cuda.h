// A CUDA driver, NVML and cuBLAS for tests: memory is the host's, kernels do nothing, results are scripted, and every
// call that matters is written down. Loaded through TUNER_LIBCUDA, TUNER_LIBNVML and TUNER_CUBLAS. In another process
// it is scripted by TUNER_FAKE_GPU: words `gpus=2 driver=12040 name=X_Y (a blank) arch=90 limits=h200 sms=100
// memory=BYTES display=1 mps=1 utilization=87 free=BYTES slow=ENTRY:1.03`, and any number of `computes=PID:NAME:BYTES`
// or `draws=PID:NAME:BYTES` (no NAME: not visible). It appends a line "launch NAME" for each launch to the file that
// TUNER_FAKE_LAUNCHES names.
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
  std::string attributes;                // of cuLaunchKernelEx: "cluster 2 1 1;cooperative 1;"
};

struct FakeGemm {
  int op_a, op_b, m, n, k, a_type, lda, b_type, ldb, c_type, ldc, compute_type, algorithm;
  std::uint64_t a, b, c;
};

struct FakeProcess {
  unsigned pid = 0;
  std::string name;  // empty: NVML does not know it
  unsigned long long bytes = 0;
};

struct FakeCuda {
  // --- script ---
  std::map<std::string, int> results;  // what the entry of this name returns from now on
  int stream_result = 0;               // of cuStreamQuery once something was launched; 600: for ever
  int queries_until_done = 0;          // how often cuStreamQuery says "not ready" first
  std::vector<int> parameter_bytes;    // of every launch; fewer than it takes: none is read
  std::vector<float> elapsed_ms;       // what cuEventElapsedTime says, in order; then 0.5
  std::string slow_entry = "nothing";  // what has this in its name takes so many times as long
  float slow_factor = 1;
  std::size_t free_bytes = 1000;
  int gpus = 1;  // alike but for their UUIDs
  std::string gpu_name = "Fake GPU";
  std::map<int, int> attributes;  // by cuDeviceGetAttribute's number; else 7
  int cublas_status = 0;
  unsigned long long clock_reasons = 0;
  int driver_version = 13000;
  std::size_t total_bytes = std::size_t{1} << 37;
  std::vector<FakeProcess> computes, draws, mps_clients;
  unsigned utilization = 0;

  // --- what happened ---
  std::vector<std::string> calls;  // "launch k", "memset 0x00 x64", "begin", "record external", "end", ...
  std::vector<FakeLaunch> launches;
  std::vector<FakeGemm> gemms;
  std::string copied;  // the bytes of the last copy on the device
  int live_graphs = 0, live_events = 0, live_modules = 0, live_buffers = 0;
};

// The library's own entries: its state, and what empties it.
using FakeCudaEntry = FakeCuda* (*)();
inline constexpr const char* kFakeCudaEntry = "fake_cuda";
using FakeCudaReset = void (*)();
inline constexpr const char* kFakeCudaReset = "fake_cuda_reset";
