#include "tune/dry_run.h"

#include <algorithm>
#include <set>

#include "compile/estimate.h"
#include "measure/prepared.h"
#include "spec/resolve.h"
#include "tune/anchors.h"
#include "tune/candidates.h"
#include "tune/device_seconds.h"
#include "tune/memory.h"
#include "tune/obey.h"
#include "tune/searching.h"

namespace tuner::tune {
namespace {

// The large probes: two data sets to read, two to copy, and what the copy writes; each with at least one more copy.
double probe_memory(const GpuFacts& gpu) {
  const double one = std::max(8.0 * static_cast<double>(gpu.l2_bytes), static_cast<double>(std::int64_t{2} << 30));
  const double most = gpu.memory_bytes > 0 ? static_cast<double>(gpu.memory_bytes) / 16 : one;
  return 5 * std::min(one, most);
}

double memory(const spec::PlannedProblem& planned, const Workload& workload, const DryRunRequest& request) {
  const double least = least_memory(planned, request.gpu, request.emulated);
  if (request.emulated) return least;
  std::int64_t weights = 0, outputs = 0;
  for (const Argument& argument : workload.arguments) {
    if (!argument.is_buffer) continue;
    if (argument.role == Role::weight) weights += argument.bytes();
    if (argument.role == Role::output) outputs += argument.bytes();
  }
  const std::int64_t free = request.gpu.memory_bytes > 0 ? request.gpu.memory_bytes : std::int64_t{1} << 40;
  const int copies = measure::rotation_copies(weights, outputs, request.gpu.l2_bytes, free, 1, workload.bytes_read);
  return least + static_cast<double>(weights + outputs) * (copies - 1) + probe_memory(request.gpu);
}

// Which configurations it will be, nobody knows: all of them are taken for compiles.
DryProblem look_at_search(const spec::PlannedProblem& planned, const Searching& searching,
                          const DryRunRequest& request) {
  DryProblem dry;
  dry.problem = planned.problem;
  const Workload workload = spec::workload_of(*planned.kernel, planned.problem, request.gpu);
  dry.candidates = dry.distinct_sources = dry.missing = searching.trials;
  dry.searched_in = searching.by.text;
  dry.compile_s = compile::compile_seconds(dry.missing, request.jobs, request.emulated);
  dry.device_s = device_seconds(workload, dry.candidates, request.gpu, request.emulated);
  dry.memory_bytes = memory(planned, workload, request);
  return dry;
}

DryProblem look_at(const spec::PlannedProblem& planned, const DryRunRequest& request, std::set<std::string>& seen) {
  DryProblem dry;
  dry.problem = planned.problem;
  check_space(planned, request.gpu);
  dry.forbidden = all_forbidden(planned, request.overrules.forbids, request.gpu).has_value();
  dry.finished = !dry.forbidden && request.finished(planned);
  if (dry.finished || dry.forbidden) return dry;
  const auto searching = searching_of(*request.plan, planned, request.gpu);
  if (searching) return look_at_search(planned, *searching, request);
  CandidateSet set = enumerate(planned, request.gpu);
  set.all.resize(static_cast<std::size_t>(most_asked_for(planned, request.gpu)));  // which ones: anchors will say
  obey(set, planned, request.overrules, request.gpu, request.plan->regime);
  std::set<std::string> own;
  for (const compile::Source& source : render_all(planned, set, request.gpu)) {
    own.insert(source.hash);
    if (seen.insert(source.hash).second && !request.cached(source)) ++dry.missing;
  }
  const Workload workload = spec::workload_of(*planned.kernel, planned.problem, request.gpu);
  dry.candidates = static_cast<std::int64_t>(set.all.size());
  dry.distinct_sources = static_cast<std::int64_t>(own.size());
  dry.compile_s = compile::compile_seconds(dry.missing, request.jobs, request.emulated);
  dry.device_s = device_seconds(workload, dry.candidates, request.gpu, request.emulated);
  dry.memory_bytes = memory(planned, workload, request);
  return dry;
}

}  // namespace

DryRun dry_run(const DryRunRequest& request) {
  refuse_too_large(*request.plan, request.gpu, request.emulated);
  DryRun dry;
  std::set<std::string> seen;
  std::int64_t searched = 0;
  bool all_is_forbidden = !request.plan->problems.empty();
  for (const auto& planned : request.plan->problems) {
    dry.problems.push_back(look_at(planned, request, seen));
    all_is_forbidden = all_is_forbidden && dry.problems.back().forbidden;
    const DryProblem& one = dry.problems.back();
    if (!one.searched_in.empty()) searched += one.distinct_sources;
    dry.total.candidates += one.candidates;
    dry.total.missing += one.missing;
    dry.total.compile_s += one.compile_s;
    dry.total.device_s += one.device_s;
    dry.total.memory_bytes = std::max(dry.total.memory_bytes, one.memory_bytes);
  }
  if (all_is_forbidden) throw *all_forbidden(request.plan->problems.front(), request.overrules.forbids, request.gpu);
  dry.total.distinct_sources = static_cast<std::int64_t>(seen.size()) + searched;
  return dry;
}

}  // namespace tuner::tune
