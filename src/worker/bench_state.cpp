#include "worker/bench_state.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include "core/counters.h"
#include "core/error.h"
#include "device/profiler_range.h"

namespace tuner::worker {
namespace {

template <class Map>
auto& found(Map& map, int id, const char* what) {
  const auto at = map.find(id);
  if (at == map.end()) throw UserError("no " + std::string(what) + " " + std::to_string(id) + " in this worker");
  return at->second;
}

}  // namespace

BenchState::~BenchState() {
  for (const auto& [id, each] : members_) device_->drop(each.timed.graph);
  workloads_.clear();
  for (const auto& [id, module] : modules_) device_->unload(module);
}

device::ModuleId BenchState::module(int id) const { return found(modules_, id, "module"); }
measure::Prepared& BenchState::workload(int id) const { return *found(workloads_, id, "workload"); }
const BenchState::Loaded& BenchState::loaded(int id) const { return found(members_, id, "member"); }

void BenchState::forget_members(int module, int workload) {
  for (auto at = members_.begin(); at != members_.end();) {
    const Member& member = at->second.member;
    const bool goes = (module >= 0 && member.module == module) || (workload >= 0 && member.workload == workload);
    if (goes) device_->drop(at->second.timed.graph);
    at = goes ? members_.erase(at) : std::next(at);
  }
  std::erase_if(clean_, [&](const auto& each) { return each.first.first == module || each.first.second == workload; });
}

void BenchState::load_module(int id, const Artifact& artifact) {
  unload_module(id);
  modules_[id] = device_->load(artifact);
}

void BenchState::unload_module(int id) {
  forget_members(id, -1);
  const auto at = modules_.find(id);
  if (at == modules_.end()) return;
  device_->unload(at->second);
  modules_.erase(at);
}

void BenchState::load_workload(int id, const Workload& workload, measure::PrepareOptions options,
                               const std::optional<Artifact>& reference) {
  const device::ProfilerRange range("tuner prepare");
  unload_workload(id);  // first: there may not be memory for both
  if (reference) options.reference.module = device_->load(*reference);
  workloads_[id] = std::make_unique<measure::Prepared>(*device_, workload, options);
  if (reference) device_->unload(options.reference.module);
}

void BenchState::unload_workload(int id) {
  forget_members(-1, id);
  workloads_.erase(id);
}

measure::Verification BenchState::verify(const VerifyRequest& request, Clock::time_point deadline) {
  const device::ProfilerRange range("tuner verify");
  const device::ModuleId id = module(request.module);
  const auto candidate = [&](const Case& each) {
    return measure::Candidate{id, &each.execution, each.chain, each.deterministic};
  };
  std::vector<measure::AwkwardCase> awkward;
  for (const Case& each : request.awkward) awkward.push_back({&workload(each.workload), candidate(each)});
  const auto verification =
      measure::verify_all(*device_, workload(request.main.workload), candidate(request.main), awkward, deadline);
  const std::pair key(request.module, request.main.workload);
  clean_.erase(key);
  if (verification.verdict.ok()) clean_[key] = verification.verdict.first_run_us;
  return verification;
}

device::RunResult BenchState::run_once(const VerifyRequest& request, Clock::time_point deadline) {
  const Execution& execution = request.main.execution;
  const auto bound = workload(request.main.workload).bind(execution, measure::DataSet::random, 0);
  const device::ProfilerRange range(candidate_range);
  return device_->run({module(request.module), &execution, bound.addresses}, {}, deadline);
}

measure::TimedGraph BenchState::load_member(const Member& member, Clock::time_point deadline) {
  const device::ProfilerRange range("tuner record");
  unload_member(member.id);
  measure::TimedGraph timed;
  timed.problem = "this device has no times";
  if (device_->emulated()) return timed;
  measure::Prepared& prepared = workload(member.workload);
  if (!member.library.empty()) {
    timed = measure::record_foreign(*device_, prepared, member.library, member.execution, deadline);
  } else if (member.module < 0) {
    timed = measure::record_vendor(*device_, prepared, member.vendor_order, deadline);
  } else {
    const auto verdict = clean_.find({member.module, member.workload});
    timed.problem = "not verified in this worker";
    if (member.needs_verdict && verdict == clean_.end()) return timed;
    const double rough_us = verdict == clean_.end() ? 0 : verdict->second;
    timed = measure::record_kernel(*device_, prepared, module(member.module), member.execution, rough_us, deadline);
  }
  if (timed.problem.empty()) members_[member.id] = {member, timed};
  return timed;
}

void BenchState::unload_member(int id) {
  const auto at = members_.find(id);
  if (at == members_.end()) return;
  device_->drop(at->second.timed.graph);
  members_.erase(at);
}

std::vector<double> BenchState::round(const std::vector<int>& ids, std::uint64_t seed, Clock::time_point deadline) {
  const device::ProfilerRange range("tuner round");
  std::vector<std::size_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<device::GraphId> graphs;
  for (const std::size_t i : order) graphs.push_back(loaded(ids[i]).timed.graph);
  const std::vector<double> us = device_->replay(graphs, deadline);
  std::vector<double> result(ids.size());
  for (std::size_t k = 0; k < order.size(); ++k) result[order[k]] = us[k] / loaded(ids[order[k]]).timed.launches;
  return result;
}

Verdict BenchState::check_timed(int id, std::int64_t chain, Clock::time_point deadline) {
  const device::ProfilerRange range("tuner check");
  const Loaded& each = loaded(id);
  const auto verdict = measure::check_timed(*device_, workload(each.member.workload), each.timed, chain, deadline);
  return verdict.value_or(Verdict{});
}

}  // namespace tuner::worker
