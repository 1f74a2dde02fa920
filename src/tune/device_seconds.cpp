#include "tune/device_seconds.h"

#include <algorithm>

namespace tuner::tune {
namespace {

// A right answer within a factor of two is what it is for: whether a sweep takes a minute or an hour.

// Of a GPU whose memory clock nobody knows: that of a small one, so that the estimate is not too low.
constexpr double unknown_bytes_per_s = 0.4e12;
// Of what bus and clock promise, a kernel's share that is neither the best nor the worst of its space.
constexpr double usual_share = 0.5;
// Loading the module, about ten small problems, and the round trips to the worker: they do not depend on the shape.
constexpr double candidate_s = 0.015;
// Runs of the problem itself: three a data set where results must repeat, and as many passes over inputs and guards.
constexpr double verify_runs = 12;
// The rounds that choose the finalists; half the candidates leave after the first.
constexpr double rounds_a_candidate = 12;
constexpr double graph_s = 0.0005;
// Probes, finals and baselines of a problem.
constexpr double problem_s = 3;
// A multiplication of the reference in double, of which each data set has one.
constexpr double reference_s = 1e-9;
// The host device: a candidate's small problems, and one element of the weights in one of its runs.
constexpr double host_candidate_s = 0.2;
constexpr double host_element_s = 15e-9;
constexpr double host_runs = 8;

double bytes_per_s(const GpuFacts& gpu) {
  const double promised = gpu.memory_bus_bits / 8.0 * 2 * gpu.memory_clock_khz * 1e3;
  return (promised > 0 ? promised : unknown_bytes_per_s) * usual_share;
}

}  // namespace

double device_seconds(const Workload& workload, std::int64_t candidates, const GpuFacts& gpu, bool emulated) {
  const auto n = static_cast<double>(candidates);
  const double reference = 2 * reference_s * workload.flops / 2;
  if (emulated) return reference + n * (host_candidate_s + host_runs * host_element_s * workload.flops / 2);
  const double once = (workload.bytes_read + workload.bytes_written) / bytes_per_s(gpu);
  return problem_s + reference + n * (candidate_s + verify_runs * once + rounds_a_candidate * std::max(graph_s, once));
}

}  // namespace tuner::tune
