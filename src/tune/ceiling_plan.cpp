#include "tune/ceiling_plan.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/ceiling_probe.h"
#include "spec/resolve.h"
#include "tune/likely_probes.h"

namespace tuner::tune {
namespace {

using Dims = std::vector<std::int64_t>;

constexpr std::int64_t kib = 1024, mib = 1024 * kib;
constexpr std::int64_t line = 128;

bool is_large(std::string_view kernel) { return kernel == "probe_read" || kernel == "probe_copy"; }

std::int64_t power_of_two(double at_most) {
  return std::int64_t{1} << static_cast<int>(std::floor(std::log2(std::max(1.0, at_most))));
}

// A launch takes some milliseconds at most, so that what launching costs does not show.
Dims size_of(std::string_view kernel, const GpuFacts& gpu) {
  const std::int64_t sms = std::max(1, gpu.sm_count);
  const std::int64_t l2 = std::max(gpu.l2_bytes, 2 * mib);
  if (kernel == "probe_latency_register") return {1, 1 << 20};
  if (kernel == "probe_latency_constant") return {1, 1 << 18};
  if (kernel == "probe_latency_shared") return {1024, 1 << 18};
  if (kernel == "probe_latency_l1") return {16 * kib / line, 1 << 18};
  if (kernel == "probe_latency_l2") return {power_of_two(static_cast<double>(l2 / 2 / line)), 1 << 16};
  if (kernel == "probe_latency_memory") return {2 * power_of_two(static_cast<double>(2 * l2 / line)), 1 << 15};
  if (kernel == "probe_shared" || kernel == "probe_l1") return {32 * kib, 8192};
  if (kernel == "probe_l2") {
    const std::int64_t bytes = l2 / 2 / (128 * kib) * (128 * kib);
    return {bytes, std::max<std::int64_t>(1, 3000 * mib / (sms * bytes))};
  }
  const std::int64_t memory = gpu.memory_bytes > 0 ? gpu.memory_bytes : 8192 * mib;
  const std::int64_t large = std::min(std::max(8 * l2, 2048 * mib), memory / 16);
  if (kernel == "probe_read") return {large / 2 / 8192, 8192};
  if (kernel == "probe_copy") return {large / 4 / 8192, 8192};
  if (kernel == "probe_fma_f64") return {2048 * sms, 1 << 14};
  if (kernel == "probe_mma_f16") return {32 * sms, 1 << 15};
  if (kernel == "probe_wgmma_f16") return {2 * sms, 1 << 12};
  return {2048 * sms, 1 << 17};
}

Dims small_size(std::string_view kernel) {
  if (kernel.substr(0, 13) == "probe_latency") return {1024, 1280};
  if (kernel == "probe_shared" || kernel == "probe_l1") return {32 * kib, 3};
  if (kernel == "probe_l2") return {384 * kib, 2};
  if (kernel == "probe_mma_f16") return {32, 16};
  if (kernel == "probe_wgmma_f16") return {2, 3};
  return {1024, 1536};
}

Problem problem_of(const spec::KernelSpec& probe, const Dims& dims) {
  const Facts facts = probe.name == "probe_read" ? Facts{{"reads_x", std::int64_t{0}}} : Facts{};
  return spec::make_problem(probe, dims, facts, probe.name);
}

}  // namespace

Problem ceiling_problem(const spec::KernelSpec& probe, const GpuFacts& gpu) {
  return problem_of(probe, size_of(probe.name, gpu));
}

spec::SweepPlan ceiling_plan(const spec::Catalog& probes, const GpuFacts& gpu, bool host) {
  spec::SweepPlan plan;
  for (const CeilingProbe& probe : ceiling_probes()) {
    const spec::KernelSpec* kernel = probes.find(probe.kernel);
    if (kernel == nullptr) continue;
    if (host && is_large(probe.kernel)) continue;  // PTX that the host device does not know
    const Problem problem = host ? problem_of(*kernel, small_size(probe.kernel)) : ceiling_problem(*kernel, gpu);
    if (!host && spec::why_not_on(*kernel, problem, gpu)) continue;
    plan.problems.push_back({kernel, problem, likely_at_large(probe.kernel)});
  }
  // The large ones come last: a sweep that is stopped has the others.
  std::stable_partition(plan.problems.begin(), plan.problems.end(),
                        [](const spec::PlannedProblem& planned) { return !is_large(planned.kernel->name); });
  return plan;
}

}  // namespace tuner::tune
