#include "tune/plausible.h"

#include <fmt/core.h>

#include "core/ceiling_probe.h"

namespace tuner::tune {

bool beats(const Trial& trial, double probe_us) { return probe_us > 0 && trial.time_us * 1.02 < probe_us; }

std::optional<std::string> implausible(const Trial& trial, const Workload& workload, double probe_us,
                                       const GpuFacts& gpu) {
  if (beats(trial, probe_us))
    return fmt::format("{:.2f} us, and {:.2f} us is the fastest probe that reads the same bytes", trial.time_us,
                       probe_us);
  const CeilingProbe* probe = ceiling_probe(trial.problem.kernel);
  if (probe == nullptr) return std::nullopt;
  const double value =
      ceiling_value(*probe, {workload.bytes_read + workload.bytes_written, workload.flops, 0, trial.time_us});
  if (!is_impossible(*probe, value, gpu)) return std::nullopt;
  return fmt::format("{:.4g} {} in {:.2f} us, and this GPU has {:.4g} at its highest clock", value,
                     to_text(probe->unit), trial.time_us, *rated_value(*probe, gpu));
}

}  // namespace tuner::tune
