// A GPU through the Driver API.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "device/cublas.h"
#include "device/cuda_context.h"
#include "device/cuda_graphs.h"
#include "device/cuda_modules.h"
#include "device/device.h"
#include "device/foreign.h"
#include "device/nvml.h"

namespace tuner::device {

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& driver, int index, const Artifact& support);
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const GpuFacts& facts() const override { return facts_; }
  bool emulated() const override { return false; }
  std::int64_t free_bytes() override;

  Address allocate(std::int64_t bytes, Placement placement) override;
  void release(Address address) override;

  void set(Address address, int byte, std::int64_t bytes) override;
  void upload(Address address, std::span<const std::byte> bytes) override;
  void download(Address address, std::span<std::byte> bytes) override;
  void copy(Address to, Address from, std::int64_t bytes) override;
  void fill(Address address, const FillRequest& request) override;
  std::uint64_t checksum(Address address, std::int64_t bytes) override;
  std::int64_t first_not(Address address, int byte, std::int64_t bytes) override;
  void widen(Address to, Address from, Type type, std::int64_t count, bool absolute) override;
  Compared compare(const Comparison& comparison) override;

  ModuleId load(const Artifact& artifact) override { return modules_.load(artifact); }
  void unload(ModuleId module) override { modules_.unload(module); }
  RunResult run(const Timed& timed, const RunOptions& options, Clock::time_point deadline) override;
  RunResult run_chain(std::span<const Link> links, const RunOptions& options, Clock::time_point deadline) override;

  GraphId record(std::span<const Timed> launches, std::span<const Copy> before) override;
  void drop(GraphId graph) override { graphs_.drop(graph); }
  std::vector<double> replay(std::span<const GraphId> graphs, Clock::time_point deadline) override;
  std::string record_foreign(const std::string& library, std::span<const Timed> calls, std::span<const Copy> before,
                             GraphId& graph) override;
  std::string record_vendor_gemv(const Gemv& gemv, GraphId& graph) override;
  Conditions conditions() override { return nvml_.conditions(); }

 private:
  // Launches a kernel of the support module over `work` items, one a thread at a time.
  void support(cu::Function kernel, std::int64_t work, std::span<void* const> arguments);
  // What a support kernel left in the result word, which held `before`.
  std::uint64_t support_result(cu::Function kernel, std::int64_t work, std::span<void* const> arguments, int before);
  // The __constant__ symbols of these, once a module. Why it could not; empty: it did.
  std::string set_symbols(std::span<const Timed> launches);
  // Writes late, as a predecessor that lets its successor start at once and then stands for so many clocks.
  cu::Result leave(const Left& left, std::uint64_t clocks);
  cu::Result launch_late(cu::Function kernel, std::span<void*> arguments);
  // What became of a run whose steps were put on the stream, or refused.
  RunResult ended(const CudaModules::Outcome& outcome, Clock::time_point start, Clock::time_point deadline);
  // What became of a run whose steps are on the stream.
  RunResult finish(Clock::time_point start, Clock::time_point deadline);
  const std::string& open_cublas();
  std::string enqueue_copies(std::span<const Copy> copies);

  cu::DeviceIndex device_;
  GpuFacts facts_;
  Nvml nvml_;
  CudaContext context_;
  struct Baseline {
    Foreign foreign;
    Address workspace = 0;
    std::size_t bytes = 0;
  };
  std::map<std::string, Baseline> baselines_;  // by library
  CudaModules modules_;
  CudaGraphs graphs_;
  cu::Function fill_ = nullptr, checksum_ = nullptr, first_not_ = nullptr, compare_ = nullptr, widen_ = nullptr,
               leave_ = nullptr, feed_ = nullptr;
  cu::Event start_ = nullptr, end_ = nullptr;
  Address result_ = 0;  // three 8-byte words for the support kernels
  Cublas cublas_;
  Address workspace_ = 0;
  bool cublas_tried_ = false;
  std::string no_cublas_;  // why there is none
};

}  // namespace tuner::device
