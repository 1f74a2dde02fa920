// What a worker holds between requests: the device, and modules, workloads and members by the parent's ids.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/artifact.h"
#include "device/device.h"
#include "measure/prepared.h"
#include "measure/timed.h"
#include "measure/verify.h"
#include "worker/client.h"
#include "worker/watchdog.h"

namespace tuner::worker {

class BenchState {
 public:
  explicit BenchState(std::unique_ptr<device::Device> device) : device_(std::move(device)) {}
  ~BenchState();

  device::Device& device() { return *device_; }

  void load_module(int id, const Artifact& artifact);
  void unload_module(int id);
  // `reference`: the module of a kernel reference; it is unloaded again.
  void load_workload(int id, const Workload& workload, measure::PrepareOptions options,
                     const std::optional<Artifact>& reference);
  void unload_workload(int id);
  measure::Verification verify(const VerifyRequest& request, Clock::time_point deadline);
  device::RunResult run_once(const VerifyRequest& request, Clock::time_point deadline);
  // A member whose module has no clean verdict on its workload is refused.
  measure::TimedGraph load_member(const Member& member, Clock::time_point deadline);
  void unload_member(int id);
  std::vector<double> round(const std::vector<int>& ids, std::uint64_t seed, Clock::time_point deadline);
  Verdict check_timed(int id, std::int64_t chain, Clock::time_point deadline);

 private:
  struct Loaded {
    Member member;
    measure::TimedGraph timed;
  };

  device::ModuleId module(int id) const;
  measure::Prepared& workload(int id) const;
  const Loaded& loaded(int id) const;
  void forget_members(int module, int workload);  // of either; -1 matches none

  std::unique_ptr<device::Device> device_;
  std::map<int, device::ModuleId> modules_;
  std::map<int, std::unique_ptr<measure::Prepared>> workloads_;
  std::map<int, Loaded> members_;
  std::map<std::pair<int, int>, double> clean_;  // (module, workload) that verified: rough microseconds a launch
};

}  // namespace tuner::worker
