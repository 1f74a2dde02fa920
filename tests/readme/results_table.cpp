#include "readme/results_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "core/ceiling_probe.h"
#include "report/figures.h"

namespace tuner::readme {
namespace {

std::string times_as_fast(double other_us, double best_us) {
  return other_us > 0 && best_us > 0 ? fmt::format("{:.2f}", other_us / best_us) : "-";
}

// The first that was timed: "1.36 cublas".
std::string times_as_fast_as_baseline(const ProblemResult& result, double best_us) {
  for (const Baseline& baseline : result.baselines)
    if (baseline.time_us > 0 && best_us > 0) return times_as_fast(baseline.time_us, best_us) + " " + baseline.name;
  return "-";
}

// The fastest of the variant `naive`; 0 where there is none.
double naive_us(const store::Entry& entry) {
  for (const report::BestOfValue& best : report::best_of_each(report::ranking(entry.trials), "variant"))
    if (best.value == "naive") return best.trial->time_us;
  return 0;
}

std::string percent(const std::optional<double>& share) { return share ? fmt::format("{:.1f} %", *share * 100) : "-"; }

std::string row(const store::Entry& entry, const Trial& winner, const NameOf& name_of) {
  const ProblemResult& result = entry.result;
  const Trial* timed = report::timed_twin(winner, entry.trials);
  const double time_us = timed ? timed->time_us : 0;
  const report::Figures figures = report::figures_of(time_us, 0, result);
  return fmt::format("| {} | {} | {} | {} | {:.2f} | {} | {} | {} | {} | {} |\n", entry.gpu.name, result.problem.kernel,
                     name_of(result.problem), result.regime, time_us,
                     figures.gb_per_s ? fmt::format("{:.0f}", *figures.gb_per_s) : "-", percent(figures.mbu),
                     percent(figures.sol), times_as_fast_as_baseline(result, time_us),
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

std::vector<store::Entry> one_of_each(const std::vector<store::Entry>& entries) {
  const auto better = [](const ProblemResult& a, const ProblemResult& b) {
    const std::vector<std::int64_t> square{8192, 8192};
    const bool a_square = a.problem.dims == square, b_square = b.problem.dims == square;
    if (a_square != b_square) return a_square;
    const double a_bytes = a.bytes_read + a.bytes_written, b_bytes = b.bytes_read + b.bytes_written;
    return a_square ? a_bytes < b_bytes : a_bytes > b_bytes;
  };
  std::vector<store::Entry> chosen;
  for (const store::Entry& entry : entries) {
    const auto same = std::find_if(chosen.begin(), chosen.end(), [&](const store::Entry& other) {
      return other.gpu.name == entry.gpu.name && other.result.problem.kernel == entry.result.problem.kernel &&
             other.result.regime == entry.result.regime;
    });
    if (same == chosen.end())
      chosen.push_back(entry);
    else if (better(entry.result, same->result))
      *same = entry;
  }
  return chosen;
}

std::string results_table(const std::vector<store::Entry>& entries, const NameOf& name_of) {
  std::string rows;
  for (const store::Entry& entry : entries) {
    const Trial* winner = report::find_trial(entry.trials, entry.result.winner);
    if (!winner || entry.emulated || ceiling_probe(entry.result.problem.kernel) ||
        !report::timed_twin(*winner, entry.trials))
      continue;
    rows += row(entry, *winner, name_of);
  }
  if (rows.empty()) return "No results are shipped yet.\n";
  return "| GPU | kernel | problem | regime | us | GB/s | mbu | sol | x baseline | x naive |\n"
         "|---|---|---|---|---:|---:|---:|---:|---:|---:|\n" +
         rows + "\n" + provenance(entries);
}

std::string compiled_table(const std::vector<CompiledOnly>& rows) {
  std::string text;
  for (const CompiledOnly& row : rows)
    text += fmt::format("| {} | {} | {} shapes | compiled, not measured |\n", row.gpu, row.kernel, row.shapes);
  return text.empty() ? text : "| GPU | kernel | shapes | state |\n|---|---|---|---|\n" + text;
}

}  // namespace tuner::readme
