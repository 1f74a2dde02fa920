#include "tune/sized_probe.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "spec/resolve.h"
#include "tune/likely_probes.h"
#include "tune/workloads.h"

namespace tuner::tune {
namespace {

constexpr std::int64_t columns = 4096;
constexpr std::int64_t row_bytes = columns * 4;  // f32
constexpr std::int64_t least_rows = 4;

}  // namespace

bool is_copy(double bytes_read, double bytes_written) { return bytes_written >= 0.1 * (bytes_read + bytes_written); }

bool reads_hot(const Workload& workload) {
  const auto any = [&](Role role) {
    return std::any_of(workload.arguments.begin(), workload.arguments.end(), [role](const Argument& argument) {
      return argument.is_buffer && argument.role == role && argument.elements > 0;
    });
  };
  return any(Role::activation) && !any(Role::weight);
}

SizedProbes probes_of_size(Session& session, const Workload& workload, const std::string& regime, Width width) {
  const bool copy = is_copy(workload.bytes_read, workload.bytes_written), hot = reads_hot(workload);
  if (hot && !copy) return {};
  const double wanted = copy ? (workload.bytes_read + workload.bytes_written) / 2 : workload.bytes_read;
  const auto rows = std::max(least_rows, static_cast<std::int64_t>(std::llround(wanted / row_bytes)));
  ProbeRequest request;
  request.name = copy ? "probe_copy" : "probe_read";
  request.dims = {rows, columns};
  request.facts = {{"a", Name{"f32"}}};
  request.regime = regime;
  // What a predecessor leaves is read after it.
  if (copy) request.facts.emplace_back("hot_input", hot);
  if (!copy) request.facts.emplace_back("reads_x", std::int64_t{regime == spec::dependent_regime});
  request.workload = sized_workload;
  if (width == Width::likely) request.tries = likely_at_size(request.name, session.gpu().arch);
  const spec::KernelSpec* kernel = session.probes.find(request.name);
  if (kernel == nullptr) return {};
  const Problem problem = spec::make_problem(*kernel, request.dims, request.facts, request.name);
  session.bench->set_workload(sized_workload, spec::workload_of(*kernel, problem, session.gpu()), true, {},
                              ring_of(regime));
  SizedProbes sized;
  sized.narrow = !request.tries.empty();
  try {
    sized.probes = best_probes(session, request);
  } catch (const MachineError&) {
    session.bench->drop_workload(sized_workload);
    return {};
  }
  sized.scale = wanted / static_cast<double>(rows * row_bytes);
  return sized;
}

}  // namespace tuner::tune
