#include "readme/results_table.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "core/ceiling_probe.h"
#include "report/figures.h"

namespace tuner::readme {
namespace {

std::string times_as_fast(double other_us, double best_us) {
  return other_us > 0 && best_us > 0 ? fmt::format("{:.2f}", other_us / best_us) : "-";
}

double baseline_us(const ProblemResult& result) {
  for (const Baseline& baseline : result.baselines)
    if (baseline.name == "cublas") return baseline.time_us;
  return 0;
}

// The fastest of the variant `naive`, which every GEMV has.
double naive_us(const store::Entry& entry) {
  for (const report::BestOfValue& best : report::best_of_each(report::ranking(entry.trials), "variant"))
    if (best.value == "naive") return best.trial->time_us;
  return 0;
}

std::string percent(const std::optional<double>& share) { return share ? fmt::format("{:.1f} %", *share * 100) : "-"; }

std::string row(const store::Entry& entry, const Trial& winner) {
  const ProblemResult& result = entry.result;
  const Trial* timed = report::timed_twin(winner, entry.trials);
  const double time_us = timed ? timed->time_us : 0;
  const report::Figures figures = report::figures_of(time_us, 0, result);
  return fmt::format("| {} | {} | {} | {:.2f} | {} | {} | {} | {} | {} |\n", entry.gpu.name, result.problem.kernel,
                     shape_text(result.problem.dims), time_us,
                     figures.gb_per_s ? fmt::format("{:.0f}", *figures.gb_per_s) : "-", percent(figures.mbu),
                     percent(figures.sol), times_as_fast(baseline_us(result), time_us),
                     times_as_fast(naive_us(entry), time_us));
}

// With what and when the rows were measured, a line each.
std::string provenance(const std::vector<store::Entry>& entries) {
  std::set<std::string> lines;
  for (const store::Entry& entry : entries)
    if (!entry.emulated)
      lines.insert(fmt::format("{}: driver {}, NVRTC {}, {}.\n", entry.gpu.name, entry.driver, entry.nvrtc,
                               entry.tuned_at.substr(0, 10)));
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace

std::string results_table(const std::vector<store::Entry>& entries) {
  std::string rows;
  for (const store::Entry& entry : entries) {
    const Trial* winner = report::find_trial(entry.trials, entry.result.winner);
    if (!winner || entry.emulated || ceiling_probe(entry.result.problem.kernel) ||
        !report::timed_twin(*winner, entry.trials))
      continue;
    rows += row(entry, *winner);
  }
  if (rows.empty()) return "No results are shipped yet.\n";
  return "| GPU | kernel | shape | us | GB/s | mbu | sol | x cuBLAS | x naive |\n"
         "|---|---|---|---:|---:|---:|---:|---:|---:|\n" +
         rows + "\n" + provenance(entries);
}

std::string compiled_table(const std::vector<CompiledOnly>& rows) {
  std::string text;
  for (const CompiledOnly& row : rows)
    text += fmt::format("| {} | {} | {} shapes | compiled, not measured |\n", row.gpu, row.kernel, row.shapes);
  return text.empty() ? text : "| GPU | kernel | shapes | state |\n|---|---|---|---|\n" + text;
}

}  // namespace tuner::readme
