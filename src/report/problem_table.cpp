#include "report/problem_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/figures.h"
#include "report/format.h"
#include "report/metric_text.h"
#include "report/table.h"
#include "report/visible.h"

namespace tuner::report {
namespace {

// What every row of one table is compared with.
struct Yardstick {
  const ProblemResult& result;
  const TimeUnit unit;
  double default_us = 0;
  double naive_us = 0;
};

std::string optional_percent(const std::optional<double>& share) { return share ? percent(*share) : std::string(); }
std::string against(double reference_us, double us) {
  return reference_us > 0 && us > 0 ? factor(reference_us / us) : std::string();
}

std::vector<std::string> cells(const Yardstick& yard, const std::string& rank, const std::string& name, double time_us,
                               double spread, int registers, const std::string& note) {
  const Figures figures = figures_of(time_us, spread, yard.result);
  return {rank,
          name,
          yard.unit.text(time_us),
          spread > 0 ? spread_text(spread) : std::string(),
          against(yard.default_us, time_us),
          against(yard.naive_us, time_us),
          figures.gb_per_s ? rate(*figures.gb_per_s) : std::string(),
          optional_percent(figures.mbu),
          optional_percent(figures.sol),
          registers > 0 ? std::to_string(registers) : std::string(),
          note};
}

std::string note_of(const Trial& trial, const ProblemResult& result, const Trial* default_twin,
                    const std::string& best_of) {
  std::string note;
  const auto add = [&note](const std::string& text) { note += (note.empty() ? "" : ", ") + text; };
  const bool tied = std::find(result.tied.begin(), result.tied.end(), trial.id) != result.tied.end();
  if (tied && trial.id != result.winner) add("tied with 1");
  if (default_twin == &trial) add("default");
  if (!best_of.empty()) add("best " + best_of);
  if (trial.status == Status::eliminated) add("left early");
  if (trial.exact_only) add("this shape only");
  return note;
}

// The rows in order of rank: leaders, then the default and the best of each variant wherever they stand.
std::vector<const Trial*> chosen_rows(const std::vector<const Trial*>& ranked, const std::vector<BestOfValue>& each,
                                      const Trial* default_twin, const TableOptions& options) {
  std::set<const Trial*> wanted;
  for (std::size_t i = 0; i < ranked.size() && i < static_cast<std::size_t>(options.leaders); ++i)
    wanted.insert(ranked[i]);
  for (const BestOfValue& best : each) wanted.insert(best.trial);
  if (default_twin) wanted.insert(default_twin);
  std::vector<const Trial*> rows;
  for (const Trial* trial : ranked)
    if (wanted.count(trial)) rows.push_back(trial);
  return rows;
}

double naive_time(const std::vector<BestOfValue>& each) {
  for (const BestOfValue& best : each)
    if (best.value == "naive") return best.trial->time_us;
  return 0;
}

std::vector<const Trial*> winner_first(std::vector<const Trial*> ranked, std::int64_t winner) {
  const auto found = std::find_if(ranked.begin(), ranked.end(), [&](const Trial* t) { return t->id == winner; });
  if (found != ranked.end()) std::rotate(ranked.begin(), found, found + 1);
  return ranked;
}

TimeUnit unit_of(const std::vector<const Trial*>& rows, const std::vector<Baseline>& baselines) {
  std::vector<double> times;
  for (const Trial* trial : rows) times.push_back(trial->time_us);
  for (const Baseline& baseline : baselines) times.push_back(baseline.time_us);
  return TimeUnit(times);
}

// What the configuration that a person chose costs against the winner.
std::string pinned_line(const tune::ProblemDone& done, const Trial* winner) {
  const Trial* pinned = find_trial(done.trials, done.pinned);
  if (pinned == nullptr) return {};
  if (pinned->status == Status::rejected)
    return fmt::format("Pinned is {}: rejected, {}.\n", pinned->config.label(), title(pinned->reason));
  const Trial* twin = timed_twin(*pinned, done.trials);
  if (twin == nullptr || winner == nullptr || winner->time_us <= 0)
    return fmt::format("Pinned is {}.\n", pinned->config.label());
  const double cost = std::max(0.0, own_cost(*twin) / own_cost(*winner) - 1);
  return fmt::format("Pinned is {}: {}, costs {}.\n", pinned->config.label(), time_text(twin->time_us), percent(cost));
}

std::string earlier_line(const tune::ProblemDone& done) {
  std::string line;
  if (done.stood > 0) line = fmt::format("{} of an unfinished run stood.\n", count(done.stood, "verdict", "verdicts"));
  if (done.refused > 0)
    line += fmt::format("{} not run again: each cost a process twice.\n",
                        count(done.refused, "configuration was", "configurations were"));
  return line;
}

bool is_exact_only(const Trial& trial) { return trial.exact_only && trial.status != Status::rejected; }

std::int64_t count_exact_only(const std::vector<Trial>& trials) {
  return std::count_if(trials.begin(), trials.end(), is_exact_only);
}

// What is right at its own shape may win there, and is no answer for another.
std::string exact_only_line(const std::vector<Trial>& trials, const std::string& explain_flags) {
  const std::int64_t all = count_exact_only(trials);
  if (all == 0) return {};
  const Trial& first = *std::find_if(trials.begin(), trials.end(), is_exact_only);
  return fmt::format(
      "{} right at this shape only, wrong at others that the constraints allow: {}\n  {}: tuner explain {}{}\n",
      count(all, "configuration is", "configurations are"),
      clipped(first.detail.substr(0, first.detail.find('\n')), 60), hint(Reason::exact_only), first.id, explain_flags);
}

// In front of a problem that one of several devices did.
std::string whose(const TableOptions& options) { return options.device.empty() ? "" : options.device + "  "; }

std::string verified_report(const tune::ProblemDone& done, const Style& style, const TableOptions& options) {
  const std::string& explain_flags = options.explain_flags;
  std::int64_t right = 0, rejected = 0, unreached = 0;
  const std::int64_t here_only = count_exact_only(done.trials);
  for (const Trial& trial : done.trials) {
    if (trial.status == Status::rejected) ++rejected;
    if (trial.status == Status::verified || trial.status == Status::duplicate) ++right;
    if (trial.status == Status::compiled) ++unreached;
  }
  const std::string rest = unreached == 0 ? "" : fmt::format(", {} not reached", unreached);
  const std::string alone = here_only == 0 ? "" : fmt::format(" ({} at this shape only)", here_only);
  std::string out =
      fmt::format("{}{}   {} of {} verified{}, {} rejected{}   {}\n", whose(options), problem_text(done.result.problem),
                  right, right + rejected + unreached, alone, rejected, rest, duration(done.seconds));
  return style.text(out + earlier_line(done) + exact_only_line(done.trials, explain_flags)) +
         rejections(done.trials, style, explain_flags);
}

}  // namespace

std::string problem_text(const Problem& problem) { return problem.kernel + " " + shape_text(problem.dims); }

std::string time_table(const tune::ProblemDone& done, const Style& style, const TableOptions& options) {
  const ProblemResult& result = done.result;
  const std::vector<Trial>& trials = done.trials;
  const std::vector<const Trial*> ranked = winner_first(ranking(trials), result.winner);
  const std::vector<BestOfValue> each = best_of_each(ranked, options.by);
  const Trial* own_default = find_trial(trials, result.default_trial);
  const Trial* default_twin = own_default ? timed_twin(*own_default, trials) : nullptr;
  const std::vector<const Trial*> rows = chosen_rows(ranked, each, default_twin, options);
  const Yardstick yard{result, unit_of(rows, result.baselines), default_twin ? default_twin->time_us : 0,
                       naive_time(each)};

  const auto metrics_of = [&done](const Trial& trial) {
    const auto found = done.metrics.find(trial.id);
    return found == done.metrics.end() ? std::vector<Metric>{} : found->second;
  };
  MetricColumns metrics;
  for (const Trial* trial : rows) metrics.add(metrics_of(*trial));
  std::vector<Table::Column> columns{{"#"}, {"config", false, true}, {"time"}, {"±"}};
  for (Table::Column& column : metrics.columns()) columns.push_back(std::move(column));
  for (const char* title : {"vs default", "vs naive", "GB/s", "mbu", "sol", "regs"}) columns.push_back({title});
  columns.push_back({"", false});
  Table table(std::move(columns));
  // The metrics stand behind the time and its spread.
  const auto row = [&](std::vector<std::string> own, const std::vector<Metric>& figures) {
    const std::vector<std::string> cells = metrics.cells(figures);
    own.insert(own.begin() + 4, cells.begin(), cells.end());
    return own;
  };
  for (const Trial* trial : rows) {
    const auto rank = std::find(ranked.begin(), ranked.end(), trial) - ranked.begin() + 1;
    std::string best_of;
    for (const BestOfValue& best : each)
      if (best.trial == trial) best_of = best.value;
    table.add(row(cells(yard, std::to_string(rank), trial->config.label(), trial->time_us, trial->spread,
                        trial->registers, note_of(*trial, result, default_twin, best_of)),
                  metrics_of(*trial)),
              trial->id == result.winner);
  }
  for (const Baseline& baseline : result.baselines)
    table.add(row(cells(yard, "-", baseline.name, baseline.time_us, baseline.spread, 0, "baseline"), {}));
  if (table.empty()) return {};
  std::string out = table.text(style);
  for (const std::string& note : metrics.notes()) out += style.text("  " + one_line(note) + "\n");
  return out;
}

std::string ceiling_lines(const ProblemResult& result) {
  const Ceiling& ceiling = result.ceiling;
  std::string out;
  if (ceiling.sustained_gb_per_s > 0)
    out += fmt::format("ceiling  {} GB/s sustained (mbu); best achieved {} GB/s\n", rate(ceiling.sustained_gb_per_s),
                       rate(ceiling.best_gb_per_s));
  if (ceiling.tflop_per_s > 0)
    out += fmt::format("peak     {:.4g} TFLOP/s by the probe of {} (sol)\n", ceiling.tflop_per_s, ceiling.arithmetic);
  if (ceiling.probe_us > 0) {
    const double bytes = result.bytes_read + result.bytes_written;
    out += fmt::format("probe    {} for the same bytes (sol), {} GB/s", time_text(ceiling.probe_us),
                       rate(bytes / ceiling.probe_us / 1e3));
    if (ceiling.probe_no_x_us > 0) out += fmt::format("; {} without x", time_text(ceiling.probe_no_x_us));
    if (ceiling.from != "probe") out += "; a verified kernel was faster and stands for it";
    out += "\n";
  }
  if (result.after.sm_clock_mhz > 0)
    out += fmt::format("clocks   {} MHz SM, {} MHz memory, {} °C, {} W{}\n", result.after.sm_clock_mhz,
                       result.after.memory_clock_mhz, result.after.temperature_c, result.after.power_w,
                       result.after.throttle.empty() ? "" : "; throttled: " + result.after.throttle);
  return out;
}

std::string problem_report(const tune::ProblemDone& done, bool emulated, const Style& style,
                           const TableOptions& options) {
  if (emulated) return verified_report(done, style, options);
  const ProblemResult& result = done.result;
  std::string out = whose(options) + style.bold(problem_text(result.problem)) + "\n" + time_table(done, style, options);
  out += style.text(ceiling_lines(result));
  const Trial* winner = find_trial(done.trials, result.winner);
  const Trial* own_default = find_trial(done.trials, result.default_trial);
  const Trial* default_twin = own_default ? timed_twin(*own_default, done.trials) : nullptr;
  if (!result.objective.empty()) out += "The best has the " + one_line(result.objective) + ".\n";
  if (winner && default_twin && winner->time_us > 0) {
    out += default_twin == winner
               ? "The default is the best"
               : fmt::format("Best is {:.2f} times {} than the default", own_cost(*default_twin) / own_cost(*winner),
                             result.objective.empty() ? "faster" : "better");
    if (result.tied.size() > 1) out += fmt::format("; {} tied within {}", result.tied.size(), percent(result.margin));
    out += ".\n";
  }
  out += fmt::format("{} of {} were timed, {} rejected; {}.\n", result.measured, result.candidates, result.rejected,
                     duration(done.seconds));
  if (!result.search.empty()) out += fmt::format("Not all were tried: {} chose these.\n", result.search);
  out +=
      style.text(pinned_line(done, winner) + earlier_line(done) + exact_only_line(done.trials, options.explain_flags));
  return out + rejections(done.trials, style, options.explain_flags);
}

std::string rejections(const std::vector<Trial>& trials, const Style& style, const std::string& explain_flags) {
  std::map<Reason, std::vector<const Trial*>> by_reason;
  for (const Trial& trial : trials)
    if (trial.status == Status::rejected) by_reason[trial.reason].push_back(&trial);
  if (by_reason.empty()) return {};
  std::vector<std::pair<Reason, std::vector<const Trial*>>> sorted(by_reason.begin(), by_reason.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  Table table({{"rejected"}, {"reason", false}, {"detail", false}, {"e.g.", false}, {"hint", false}});
  for (const auto& [reason, of] : sorted) {
    const Trial& example = *of.front();
    const std::string detail = example.detail.substr(0, example.detail.find('\n'));
    std::string hint_text(hint(reason));
    if (example.id > 0)
      hint_text += (hint_text.empty() ? "" : "; ") + fmt::format("tuner explain {}{}", example.id, explain_flags);
    table.add({std::to_string(of.size()), std::string(title(reason)), clipped(detail, 60), example.config.label(),
               hint_text});
  }
  return table.text(style);
}

}  // namespace tuner::report
