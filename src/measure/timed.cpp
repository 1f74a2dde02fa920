#include "measure/timed.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/error.h"
#include "measure/judge.h"

namespace tuner::measure {
namespace {

constexpr double graph_us = 500;  // of which bracketing a graph, about a microsecond, is 0.2 %
constexpr int most_launches = 512;
constexpr int fewest_launches = 4;  // of a kernel under a millisecond
constexpr double long_us = 100;
constexpr double very_long_us = 1000;
constexpr double hardly_cold = 200;
constexpr double launch_overhead_us = 8;  // in the wall time of a single run

const Argument& argument_with(const Workload& workload, Role role) {
  for (const Argument& argument : workload.arguments)
    if (argument.is_buffer && argument.role == role) return argument;
  throw UserError("kernel '" + workload.kernel + "' has no argument of role " + std::string(to_text(role)));
}

using Record = std::function<std::string(int launches, device::GraphId& graph)>;

// Records, replays once, and records again when the estimate was far off.
TimedGraph record_near(device::Device& device, double estimate_us, const Prepared& prepared,
                       device::Clock::time_point deadline, const Record& record) {
  TimedGraph timed;
  // What is restored before a launch is so once a copy and replay.
  const bool once = !prepared.restores(1).empty();
  const int copies = prepared.copies();
  const double ring_us = shortest_us(prepared.rotating_bytes(), device.facts());
  const auto launches_for = [&](double us) {
    const int launches = measure::launches_for(us, copies, ring_us);
    return once ? std::min(launches, copies) : launches;
  };
  timed.launches = launches_for(estimate_us);
  for (int attempt = 0; attempt < 2; ++attempt) {
    timed.problem = record(timed.launches, timed.graph);
    if (!timed.problem.empty()) return timed;
    const device::GraphId graphs[] = {timed.graph};
    timed.first_us = device.replay(graphs, deadline).front() / timed.launches;
    const int better = launches_for(timed.first_us);
    if (attempt > 0 || (better * 4 <= timed.launches * 5 && timed.launches * 2 <= better * 5)) return timed;
    device.drop(timed.graph);
    timed.launches = better;
  }
  return timed;
}

}  // namespace

int launches_for(double us, int copies, double ring_us) {
  if (us >= very_long_us) return 1;
  if (ring_us > 0 && us * copies > hardly_cold * ring_us)
    return std::clamp(static_cast<int>(std::ceil(graph_us / us)), fewest_launches, most_launches);
  if (us >= long_us) return (fewest_launches + copies - 1) / copies * copies;
  const double wanted = std::min<double>(most_launches, std::ceil(graph_us / std::max(us, 1e-3)));
  const int rings = std::max(1, (static_cast<int>(wanted) + copies - 1) / copies);
  return std::max(std::min(rings * copies, most_launches / copies * copies), copies);
}

double shortest_us(double bytes, const GpuFacts& gpu) {
  // Two transfers a clock.
  const double bytes_per_us = 2.0 * gpu.memory_clock_khz / 1e3 * gpu.memory_bus_bits / 8;
  return bytes_per_us > 0 ? bytes / bytes_per_us : 0;
}

TimedGraph record_kernel(device::Device& device, Prepared& prepared, device::ModuleId module,
                         const Execution& execution, double rough_us, device::Clock::time_point deadline) {
  TimedGraph failed;
  if (prepared.copies() == 0) {
    failed.problem = "the workload was not prepared for timing";
    return failed;
  }
  if (rough_us <= 0) {
    for (int i = 0; i < 2; ++i) {
      const auto ran = device.run({module, &execution, prepared.bind_copy(execution, 0)}, {}, deadline);
      failed.device_lost = ran.device_lost;
      failed.problem = ran.detail.empty() ? std::string(to_text(ran.reason)) : ran.detail;
      if (ran.reason != Reason::none) return failed;
      rough_us = ran.us;
    }
  }
  const double bytes = prepared.workload().bytes_read + prepared.workload().bytes_written;
  const double estimate = std::max(rough_us - launch_overhead_us, shortest_us(bytes, device.facts()));
  return record_near(device, estimate, prepared, deadline, [&](int launches, device::GraphId& graph) {
    std::vector<device::Timed> list;
    for (int i = 0; i < launches; ++i)
      list.push_back({module, &execution, prepared.bind_copy(execution, i % prepared.copies())});
    graph = device.record(list, prepared.restores(std::min(launches, prepared.copies())));
    return std::string();
  });
}

TimedGraph record_vendor(device::Device& device, Prepared& prepared, int order, device::Clock::time_point deadline) {
  const Workload& workload = prepared.workload();
  TimedGraph failed;
  failed.problem = "the workload was not prepared for timing";
  if (prepared.copies() == 0) return failed;
  const Argument& a = argument_with(workload, Role::weight);
  const Argument& x = argument_with(workload, Role::activation);
  const Argument& y = argument_with(workload, Role::output);
  failed.problem = "the vendor's gemv takes one column of x";
  if (workload.batch != 1) return failed;
  device::Device::Gemv gemv;
  gemv.type = a.type;
  gemv.out = y.type;
  gemv.rows = workload.dims.at(0);
  gemv.columns = workload.dims.at(1);
  gemv.row_stride = workload.row_stride;
  gemv.order = order;
  gemv.x = prepared.copy_of(x.name, 0);
  const double estimate = 1.3 * shortest_us(workload.bytes_read + workload.bytes_written, device.facts());
  return record_near(device, std::max(estimate, 3.0), prepared, deadline, [&](int launches, device::GraphId& graph) {
    gemv.a.clear();
    gemv.y.clear();
    for (int i = 0; i < launches; ++i) {
      gemv.a.push_back(prepared.copy_of(a.name, i % prepared.copies()));
      gemv.y.push_back(prepared.copy_of(y.name, i % prepared.copies()));
    }
    return device.record_vendor_gemv(gemv, graph);
  });
}

TimedGraph record_foreign(device::Device& device, Prepared& prepared, const std::string& library,
                          const Execution& execution, device::Clock::time_point deadline) {
  const Workload& workload = prepared.workload();
  TimedGraph failed;
  failed.problem = "the workload was not prepared for timing";
  if (prepared.copies() == 0) return failed;
  const double estimate = 1.3 * shortest_us(workload.bytes_read + workload.bytes_written, device.facts());
  return record_near(device, std::max(estimate, 3.0), prepared, deadline, [&](int launches, device::GraphId& graph) {
    std::vector<device::Timed> calls;
    for (int i = 0; i < launches; ++i)
      calls.push_back({-1, &execution, prepared.bind_copy(execution, i % prepared.copies())});
    return device.record_foreign(library, calls, prepared.restores(std::min(launches, prepared.copies())), graph);
  });
}

std::optional<Verdict> check_timed(device::Device& device, Prepared& prepared, const TimedGraph& timed,
                                   std::int64_t chain, device::Clock::time_point deadline) {
  if (!prepared.has_reference()) return {};
  std::vector<const Argument*> results;
  for (const Argument& argument : prepared.workload().arguments)
    if (argument.is_buffer && is_result(argument.role)) results.push_back(&argument);
  const int copies = std::min(timed.launches, prepared.copies());
  for (int copy = 0; copy < copies; ++copy)
    for (const Argument* result : results)
      if (result->role == Role::output) device.set(prepared.copy_of(result->name, copy), nan_poison, result->bytes());
  const device::GraphId graphs[] = {timed.graph};
  device.replay(graphs, deadline);
  const std::vector<Expectation> expected = prepared.expectations(DataSet::random, chain);
  Verdict verdict;
  for (int copy = 0; copy < copies; ++copy)
    for (std::size_t i = 0; i < results.size() && verdict.ok(); ++i) {
      const device::Address address = prepared.copy_of(results[i]->name, copy);
      std::optional<Judgement> judged = prepared.judged_in_place(DataSet::random, i, chain, address);
      if (!judged) {
        std::vector<std::byte> out(static_cast<std::size_t>(results[i]->bytes()));
        device.download(address, out);
        judged = judge(expected[i], out);
      }
      const Judgement& judgement = *judged;
      verdict.reason = judgement.reason;
      if (!verdict.ok()) verdict.detail = "of timed copy " + std::to_string(copy) + ": " + judgement.detail;
      verdict.max_err_over_bound = std::max(verdict.max_err_over_bound, judgement.max_err_over_bound);
      verdict.max_rel_err = std::max(verdict.max_rel_err, judgement.max_rel_err);
    }
  return verdict;
}

}  // namespace tuner::measure
