// Refuses values that no sweep can have given, whatever the samples say.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "store/results_parse.h"
#include "store/selection.h"
#include "store/time_text.h"

namespace tuner::store {
namespace {

constexpr double most_behind_winner = 0.02;  // a traveller, as store/expected_loss.cpp
constexpr Dim3 most_blocks{2147483647, 65535, 65535};
constexpr Dim3 most_threads{1024, 1024, 64};  // a block has at most 1024
constexpr double most_above = 1.1;            // a probe; a sweep rejects at 2 %
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;

struct Named {
  const char* name;
  double value;
};

std::optional<std::string> negative(const std::string& of, std::initializer_list<Named> values) {
  for (const Named& one : values)
    if (!(one.value >= 0)) return fmt::format("{} of {} is {}, less than 0", one.name, of, one.value);
  return std::nullopt;
}

bool is_size(const Dim3& size, const Dim3& most) {
  return size.x >= 1 && size.y >= 1 && size.z >= 1 && size.x <= most.x && size.y <= most.y && size.z <= most.z;
}

std::optional<std::string> wrong_step(const std::string& who, const Step& step) {
  if (step.kind != Step::Kind::launch) return std::nullopt;
  if (!is_size(step.grid, most_blocks)) return "a grid of " + who + " is empty or too large";
  if (!is_size(step.block, most_threads) || step.block.x * step.block.y * step.block.z > 1024)
    return "a block of " + who + " is empty or too large";
  if (step.shared_bytes < 0 || step.shared_bytes > most_bytes) return "the shared memory of " + who + " is impossible";
  return std::nullopt;
}

std::optional<std::string> wrong_samples(const std::string& who, const std::vector<float>& samples) {
  for (const float us : samples)
    if (!(us > 0) || std::isinf(us)) return fmt::format("a sample of {} is {} us", who, us);
  return std::nullopt;
}

std::optional<std::string> wrong_trial(const Entry& entry, const Trial& trial) {
  const std::string who = fmt::format("trial {}", trial.id);
  if (auto wrong = negative(who, {{"time_us", trial.time_us},
                                  {"spread", trial.spread},
                                  {"cost", trial.cost},
                                  {"registers", static_cast<double>(trial.registers)},
                                  {"spill_bytes", static_cast<double>(trial.spill_bytes)},
                                  {"static_shared_bytes", static_cast<double>(trial.static_shared_bytes)},
                                  {"max_err_over_bound", trial.max_err_over_bound},
                                  {"max_rel_err", trial.max_rel_err}}))
    return wrong;
  if (trial.static_shared_bytes > most_bytes) return "static_shared_bytes of " + who + " is impossible";
  if (trial.status == Status::measured && trial.max_err_over_bound > 1)
    return fmt::format("{} is measured, and its error is {} times the bound", who, trial.max_err_over_bound);
  for (const Step& step : trial.steps)
    if (auto wrong = wrong_step(who, step)) return wrong;
  if (auto wrong = wrong_samples(who, trial.samples_us)) return wrong;
  if ((trial.status == Status::duplicate) != (trial.duplicate_of != 0))
    return who + " is a duplicate of nothing, or has another status";
  if (trial.duplicate_of == 0) return std::nullopt;
  if (entry.trials.at(static_cast<std::size_t>(trial.duplicate_of - 1)).duplicate_of != 0)
    return who + " is a duplicate of a duplicate";
  return std::nullopt;
}

std::optional<std::string> wrong_conditions(const std::string& who, const Conditions& conditions) {
  return negative(who, {{"sm_clock_mhz", static_cast<double>(conditions.sm_clock_mhz)},
                        {"memory_clock_mhz", static_cast<double>(conditions.memory_clock_mhz)},
                        {"temperature_c", static_cast<double>(conditions.temperature_c)},
                        {"power_w", static_cast<double>(conditions.power_w)}});
}

std::optional<std::string> wrong_figures(const ProblemResult& row) {
  if (auto wrong = negative(
          "'work'", {{"bytes_read", row.bytes_read}, {"bytes_written", row.bytes_written}, {"flops", row.flops}}))
    return wrong;
  if (auto wrong = negative("'counts'", {{"candidates", static_cast<double>(row.candidates)},
                                         {"measured", static_cast<double>(row.measured)},
                                         {"rejected", static_cast<double>(row.rejected)}}))
    return wrong;
  const Ceiling& ceiling = row.ceiling;
  if (auto wrong = negative("'ceiling'", {{"sustained_gb_per_s", ceiling.sustained_gb_per_s},
                                          {"probe_us", ceiling.probe_us},
                                          {"probe_no_x_us", ceiling.probe_no_x_us},
                                          {"best_gb_per_s", ceiling.best_gb_per_s},
                                          {"tflop_per_s", ceiling.tflop_per_s}}))
    return wrong;
  if (ceiling.from != "probe" && ceiling.from != "kernel")
    return "'from' of 'ceiling' is '" + ceiling.from + "', neither probe nor kernel";
  for (const Baseline& baseline : row.baselines) {
    const std::string who = "baseline " + baseline.name;
    if (auto wrong = negative(who, {{"time_us", baseline.time_us}, {"spread", baseline.spread}})) return wrong;
    if (auto wrong = wrong_samples(who, baseline.samples_us)) return wrong;
  }
  if (auto wrong = wrong_conditions("'before'", row.before)) return wrong;
  if (auto wrong = wrong_conditions("'after'", row.after)) return wrong;
  return negative("it", {{"margin", row.margin}, {"noise_floor", row.noise_floor}});
}

// As update_expected_losses leaves them: both the traveller and what it is expected to lose, or neither.
std::optional<std::string> wrong_losses(const Entry& entry) {
  const ProblemResult& row = entry.result;
  if (row.traveller == 0) {
    const bool none = row.loss_neighbours == 0 && row.expected_loss == -1 && row.default_loss == -1;
    return none ? std::nullopt : std::optional<std::string>("it has losses and no traveller");
  }
  if (row.loss_neighbours < 1) return "it has a traveller and no neighbours that its losses are from";
  if (auto wrong = negative(
          "'losses'", {{"expected", row.expected_loss}, {"default", row.default_loss}, {"worst", row.worst_loss}}))
    return wrong;
  const Trial& winner = entry.trials.at(static_cast<std::size_t>(row.winner - 1));
  const Trial& traveller = entry.trials.at(static_cast<std::size_t>(row.traveller - 1));
  if (traveller.status != Status::measured || traveller.exact_only || !traveller.deterministic)
    return fmt::format("the traveller, trial {}, cannot answer elsewhere", row.traveller);
  if (cost_of(traveller, entry.trials) > cost_of(winner, entry.trials) * (1 + most_behind_winner + 1e-6))
    return fmt::format("the traveller, trial {}, is over 2 % slower than the winner", row.traveller);
  return std::nullopt;
}

// The winner's bytes a second against what the same run says was reached; figures that are 0 are unknown.
std::optional<std::string> wrong_ceiling(const Entry& entry) {
  const ProblemResult& row = entry.result;
  const Trial& winner = entry.trials.at(static_cast<std::size_t>(row.winner - 1));
  if (entry.emulated || winner.time_us <= 0) return std::nullopt;
  const double gb_per_s = (row.bytes_read + row.bytes_written) / winner.time_us / 1e3;
  const Ceiling& ceiling = row.ceiling;
  if (ceiling.best_gb_per_s > 0 && gb_per_s > ceiling.best_gb_per_s * 1.001)
    return fmt::format("the winner moves {:.0f} GB/s by 'work' and 'time_us', over the {:.0f} of 'best_gb_per_s'",
                       gb_per_s, ceiling.best_gb_per_s);
  if (ceiling.sustained_gb_per_s > 0 && row.bound_by == "memory" && gb_per_s > ceiling.sustained_gb_per_s * most_above)
    return fmt::format("the winner moves {:.0f} GB/s, and 'sustained_gb_per_s' is {:.0f}", gb_per_s,
                       ceiling.sustained_gb_per_s);
  if (ceiling.probe_us > winner.time_us * most_above)
    return fmt::format("the winner takes {} us, and the probe of its size {}", winner.time_us, ceiling.probe_us);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> impossible_problem(const Entry& entry) {
  const ProblemResult& row = entry.result;
  if (row.problem.kernel.empty()) return "its kernel has no name";
  if (row.problem.dims.empty()) return "its shape has no dimension";
  std::int64_t product = 1;
  for (const std::int64_t dim : row.problem.dims) {
    if (dim < 1) return "a dimension is less than 1";
    if (__builtin_mul_overflow(product, dim, &product)) return "its shape has more than 2^63 elements";
  }
  if (row.regime.empty()) return "its regime has no name";
  if (!is_time_text(entry.tuned_at))
    return "'tuned_at' of 'run' is '" + entry.tuned_at + "', not a time such as 2026-11-30T10:00:00Z";
  if (entry.policy < 1) return "'policy' of 'run' is less than 1";
  return negative("'run'", {{"cuda_driver", static_cast<double>(entry.gpu.cuda_driver)},
                            {"power_limit_w", static_cast<double>(entry.gpu.power_limit_w)}});
}

std::optional<std::string> impossible_value(const Entry& entry) {
  if (auto wrong = impossible_problem(entry)) return wrong;
  for (const Trial& trial : entry.trials)
    if (auto wrong = wrong_trial(entry, trial)) return wrong;
  if (auto wrong = wrong_figures(entry.result)) return wrong;
  if (auto wrong = wrong_losses(entry)) return wrong;
  return wrong_ceiling(entry);
}

}  // namespace tuner::store
