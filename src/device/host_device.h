// A device that is this machine's CPU: a fiber stands for a thread, memory around every buffer is inaccessible. It
// gives right or wrong, never a time. Its limits are those of sm_90, so that the same configurations are legal.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "device/arguments.h"
#include "device/device.h"
#include "device/host_blocks.h"
#include "device/host_guard.h"
#include "device/host_library.h"
#include "device/host_memory.h"

namespace tuner::device {

class HostDevice final : public Device {
 public:
  HostDevice();

  const GpuFacts& facts() const override { return facts_; }
  bool emulated() const override { return true; }
  std::int64_t free_bytes() override;

  Address allocate(std::int64_t bytes, Placement placement) override { return memory_.allocate(bytes, placement); }
  void release(Address address) override { memory_.release(address); }
  void set(Address address, int byte, std::int64_t bytes) override;
  void upload(Address address, std::span<const std::byte> bytes) override;
  void download(Address address, std::span<std::byte> bytes) override;
  void copy(Address to, Address from, std::int64_t bytes) override;
  void fill(Address address, const FillRequest& request) override;
  std::uint64_t checksum(Address address, std::int64_t bytes) override;
  std::int64_t first_not(Address address, int byte, std::int64_t bytes) override;
  void widen(Address to, Address from, Type type, std::int64_t count, bool absolute) override;

  ModuleId load(const Artifact& artifact) override;
  void unload(ModuleId module) override;
  RunResult run(const Timed& timed, const RunOptions& options, Clock::time_point deadline) override;

  // Its results need no copy to be looked at, and it has no times: these throw std::logic_error.
  Compared compare(const Comparison& comparison) override;
  GraphId record(std::span<const Timed> launches, std::span<const Copy> before) override;
  void drop(GraphId graph) override;
  std::vector<double> replay(std::span<const GraphId> graphs, Clock::time_point deadline) override;
  std::string record_foreign(const std::string& library, std::span<const Timed> calls, std::span<const Copy> before,
                             GraphId& graph) override;
  std::string record_vendor_gemv(const Gemv& gemv, GraphId& graph) override;
  Conditions conditions() override { return {}; }

 private:
  // Nothing where it ran to its end.
  std::optional<RunResult> launch(const Step& step, const Timed& timed, const RunOptions& options,
                                  Clock::time_point deadline);
  // What of the predecessor's a launch may not touch before it has waited: all but weights and scalars.
  std::vector<Address> of_predecessor(const Timed& timed) const;
  // Fills the module's __constant__ symbols. Why it could not; empty: it did.
  std::string set_symbols(const Timed& timed);
  // Why the launch is refused, as the driver would refuse it; empty: it is not.
  std::string refusal(const Step& step, const HostLibrary& library, const Execution& execution,
                      const PackedArguments& arguments) const;
  RunResult result_of(const HostFault& fault, const Timed& timed) const;

  GpuFacts facts_;
  HostMemory memory_;
  HostBlocks blocks_;
  std::map<ModuleId, std::unique_ptr<HostLibrary>> modules_;
  ModuleId next_module_ = 0;
};

}  // namespace tuner::device
