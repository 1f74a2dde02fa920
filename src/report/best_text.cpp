#include "report/best_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/shell.h"
#include "report/figures.h"
#include "report/format.h"
#include "report/metric_text.h"
#include "report/overrules_text.h"
#include "report/step_text.h"
#include "report/table.h"
#include "report/visible.h"
#include "store/expected_loss.h"

namespace tuner::report {
namespace {

std::string row(std::string_view name, const std::string& value) {
  return fmt::format("  {:<9}{}{}\n", name, name.size() < 9 ? "" : " ", one_line(value));
}

std::string heading(const store::Answer& answer) {
  std::string text = answer.problem.kernel + " " + shape_text(answer.problem.dims);
  if (!answer.gpu.name.empty()) text += " on " + gpu_text(answer.gpu);
  return text;
}

std::string why_default(const store::Answer& answer) {
  if (answer.passed == nullptr) return "nothing was tuned near this";
  const ProblemResult& near = answer.passed->result;
  const std::string where = shape_text(near.problem.dims);
  if (store::told_loss(near, near.expected_loss) < 0 || store::told_loss(near, near.default_loss) < 0)
    return "the winner at " + where + " is little faster there, and nothing says that it travels";
  if (answer.expected_loss < 0)
    return "what was tuned at " + where + " with other facts loses more there; what is lost here is unknown";
  std::string text = fmt::format("expected to lose {}, what was tuned at {} {}", percent(near.default_loss), where,
                                 percent(near.expected_loss));
  if (near.worst_loss > 0) text += fmt::format(" and up to {} against the default", percent(near.worst_loss));
  return text;
}

std::string match_text(const store::Answer& answer) {
  std::string text(store::to_text(answer.match));
  if (answer.match == store::Match::near_shape || answer.match == store::Match::near_gpu) {
    text += ": tuned at " + shape_text(answer.tuned_dims);
    if (answer.entry) {
      const Problem& tuned = answer.entry->result.problem;
      for (const auto& [name, value] : answer.problem.facts)
        if (const Value* known = tuned.fact(name); known && *known != value && name != "row_stride")
          text += " " + name + "=" + to_text(*known);
    }
    if (answer.match == store::Match::near_gpu) text += " on " + answer.tuned_gpu;
    text += answer.expected_loss < 0 ? ", what it loses is unknown"
                                     : fmt::format(", expected to lose {}", percent(answer.expected_loss));
  }
  if (answer.match == store::Match::by_default) text += ": the manifest's; " + why_default(answer);
  if (answer.pin != nullptr) text += ": " + answer.pin->why;
  if (answer.regime != "plain") text += ", regime " + answer.regime;
  if (!answer.layer.empty()) text += " (" + answer.layer + (answer.pin != nullptr ? " pin)" : " results)");
  return text;
}

std::string time_line(const store::Answer& answer) {
  const ProblemResult& result = answer.entry->result;
  const Figures figures = figures_of(answer.trial->time_us, answer.trial->spread, result);
  std::string text = time_text(figures.time_us) + " " + spread_text(figures.spread);
  if (figures.gb_per_s) text += ", " + rate(*figures.gb_per_s) + " GB/s";
  if (figures.mbu) text += ", mbu " + percent(*figures.mbu);
  if (figures.sol) text += ", sol " + percent(*figures.sol);
  return text;
}

std::string against_default(const store::Answer& answer) {
  const store::Entry& entry = *answer.entry;
  const Trial* own = find_trial(entry.trials, entry.result.default_trial);
  const Trial* twin = own ? timed_twin(*own, entry.trials) : nullptr;
  if (!twin) return {};
  return row("default",
             fmt::format("{} (speed-up {}){}", time_text(twin->time_us), factor(twin->time_us / answer.trial->time_us),
                         answer.default_forbidden ? ", forbidden" : ""));
}

std::string measured_lines(const store::Answer& answer) {
  const store::Entry& entry = *answer.entry;
  std::string out = row("time", time_line(answer));
  for (const Metric& metric : answer.metrics)
    out += row(metric.name, metric_text(metric) + (metric.value ? "" : ": " + metric.why));
  if (!entry.result.objective.empty()) out += row("best of", entry.result.objective);
  out += against_default(answer);
  for (const Baseline& baseline : entry.result.baselines)
    out += row(
        baseline.name + (entry.result.regime == "plain" ? "" : " plain"),
        fmt::format("{} (speed-up {})", time_text(baseline.time_us), factor(baseline.time_us / answer.trial->time_us)));
  const auto& tied = entry.result.tied;
  // A pin was not chosen among ties, nor was what stands in for forbidden ones.
  const bool chosen = answer.pin == nullptr && std::find(tied.begin(), tied.end(), answer.trial->id) != tied.end();
  if (chosen && tied.size() > 1)
    out += row("tied", fmt::format("{} configurations within {}", tied.size(), percent(entry.result.margin)));
  if (entry.result.search == refresh_search)
    out += row("refreshed", fmt::format("{} were tried again, those that were tied and what stands beside them",
                                        count(entry.result.candidates, "configuration", "configurations")));
  else if (!entry.result.search.empty())
    out += row("searched",
               fmt::format("{} were tried, as {} chose them, not all",
                           count(entry.result.candidates, "configuration", "configurations"), entry.result.search));
  return out;
}

std::string steps_text(const std::vector<Step>& steps) {
  std::string text;
  for (const auto& [step, times] : runs_of(steps)) {
    if (!text.empty()) text += "; ";
    if (times > 1) text += fmt::format("{} times ", times);
    if (step.kind == Step::Kind::memset) {
      text += "memset " + step.argument;
      continue;
    }
    text += fmt::format("{} grid {}x{}x{} block {}x{}x{}", step.entry, step.grid.x, step.grid.y, step.grid.z,
                        step.block.x, step.block.y, step.block.z);
    if (step.shared_bytes > 0) text += fmt::format(" shared {}", bytes_text(step.shared_bytes));
    text += launch_extras(step);
  }
  return text;
}

std::string tuned_line(const store::Entry& entry) {
  std::string text = entry.tuned_at;
  if (!entry.driver.empty()) text += ", driver " + entry.driver;
  if (!entry.nvrtc.empty()) text += ", " + (entry.emulated ? entry.nvrtc : compiler_text(entry.nvrtc));
  return text;
}

std::vector<std::string> forbid_notes(const std::vector<const store::Forbid*>& forbids) {
  std::vector<std::string> notes;
  for (const store::Forbid* forbid : forbids)
    notes.push_back(fmt::format("passed over, {} forbids {} ({})", forbid->layer, forbid_title(*forbid), forbid->why));
  return notes;
}

// What people said about this answer, and what that costs.
std::string overruled_rows(const store::Answer& answer) {
  std::string out;
  if (answer.pin != nullptr) out += row("cost", cost_text(answer.cost));
  if (answer.unverified) out += row("note", "unverified until a sweep has run it on such a GPU");
  if (!answer.rejected.empty()) out += row("note", "a sweep found it not right: " + answer.rejected);
  if (answer.ignored != nullptr)
    out += row("note", fmt::format("the {} pin is not obeyed, it is illegal or forbidden: {} ({})",
                                   answer.ignored->layer, answer.ignored->config.label(), answer.ignored->why));
  for (const std::string& note : forbid_notes(answer.forbidden)) out += row("note", note);
  return out;
}

// What is said of the sweep that the answer's row is from: not of a pin that it did not run.
std::string sweep_rows(const store::Answer& answer) {
  if (!is_from_row(answer)) return {};
  const store::Entry& entry = *answer.entry;
  std::string out;
  if (entry.emulated) out += row("time", "none: verified on the host device, which emulates");
  if (!entry.tuned_at.empty()) out += row("tuned", tuned_line(entry));
  if (entry.shared_gpu) out += row("note", "measured while others used the GPU");
  if (answer.state == "current") return out;
  std::string changed = answer.state;
  for (const std::string& what : answer.changed) changed += ", " + what;
  return out + row("state", changed);
}

std::string block(const store::Answer& answer, const Style& style) {
  std::string out = style.bold(one_line(heading(answer))) + "\n";
  std::string body =
      row("config", answer.config.label()) + row("launch", steps_text(answer.steps)) + row("match", match_text(answer));
  body += overruled_rows(answer);
  if (has_time(answer)) body += measured_lines(answer);
  body += sweep_rows(answer);
  return out + style.text(body);
}

bool is_exact(const store::Answer& answer) {
  return answer.match == store::Match::exact || answer.match == store::Match::pinned;
}

bool is_met(const store::Answer& answer, const Mend& mend) {
  return mend.pinned ? answer.pin != nullptr : is_exact(answer);
}

std::string problem_flags(const store::Query& query) {
  std::string text = " --shape " + shape_text(query.dims);
  for (const auto& [name, value] : query.facts) text += " --set " + shell_word(name + "=" + to_text(value));
  if (query.regime != "plain") text += " --regime " + shell_word(query.regime);
  return text;
}

std::string pin_command(const store::Answer& answer, const store::Query& query) {
  std::string text = "tuner pin " + shell_word(answer.problem.kernel) + problem_flags(query);
  if (!query.gpu.empty()) text += " --gpu " + shell_word(query.gpu);
  for (const auto& [name, value] : answer.config.params) text += " " + shell_word(name + "=" + to_text(value));
  return text + " --why REASON";
}

}  // namespace

std::string mending_command(const std::vector<store::Answer>& answers, const store::Query& query, const Mend& mend) {
  std::vector<std::string> kernels;
  for (const store::Answer& answer : answers) {
    if (is_met(answer, mend)) continue;
    if (mend.pinned) return pin_command(answer, query) + mend.flags;
    if (std::find(kernels.begin(), kernels.end(), answer.problem.kernel) == kernels.end())
      kernels.push_back(answer.problem.kernel);
  }
  if (kernels.empty()) return {};
  std::string text = "tuner sweep";
  for (const std::string& kernel : kernels) text += " --kernel " + shell_word(kernel);
  return text + problem_flags(query) + mend.flags;
}

namespace {

// Where the command has to run, when that is not plain.
std::string place(const std::vector<store::Answer>& answers, const store::Query& query) {
  if (query.here && query.here->name == "host") return ", where there is a GPU";  // it gives no times
  std::string gpu;
  for (const store::Answer& answer : answers) {
    if (is_exact(answer) || answer.gpu.name.empty()) continue;
    if (!gpu.empty() && gpu != answer.gpu.name) return ", on each GPU";
    gpu = answer.gpu.name;
  }
  return gpu.empty() || (query.here && query.here->name == gpu) ? std::string() : ", on " + gpu;
}

// The command that would make every answer exact; nothing where all are.
std::string inexact_line(const std::vector<store::Answer>& answers, const store::Query& query, const Mend& mend) {
  const std::string command = mending_command(answers, query, mend);
  if (command.empty()) return {};
  return fmt::format("\nto make it exact{}: {}\n", place(answers, query), command);
}

// The row of what the occupancy API would have chosen, where it is another.
void add_suggested(Table& table, const SuggestedBlock& suggested, const store::Answer& best, double naive_us,
                   const TimeUnit& unit, const MetricColumns& metrics) {
  if (suggested.is_best || !suggested.trial || suggested.trial->time_us <= 0) return;
  const Trial& trial = *suggested.trial;
  const Figures f = figures_of(trial.time_us, trial.spread, best.entry->result);
  std::vector<std::string> cells{"-", suggested.config.label(), unit.text(f.time_us), spread_text(f.spread)};
  for (std::string& cell : metrics.cells(suggested.metrics)) cells.push_back(std::move(cell));
  for (std::string cell :
       {naive_us > 0 ? factor(naive_us / f.time_us) : "", f.gb_per_s ? rate(*f.gb_per_s) : "",
        f.mbu ? percent(*f.mbu) : "", f.sol ? percent(*f.sol) : "", std::string("occupancy API"), best.layer})
    cells.push_back(std::move(cell));
  table.add(std::move(cells));
}

std::string kernel_table(const store::Answer* begin, const store::Answer* end, const Beside& beside,
                         const Style& style) {
  std::vector<double> times;
  double naive_us = 0;
  for (const store::Answer* answer = begin; answer != end; ++answer) {
    if (!has_time(*answer)) continue;
    times.push_back(answer->trial->time_us);
    const Value* variant = answer->config.find("variant");
    if (variant && to_text(*variant) == "naive" && naive_us == 0) naive_us = answer->trial->time_us;
  }
  const TimeUnit unit(times);
  const auto suggested = beside && begin != end && has_time(*begin) ? beside(*begin) : std::nullopt;
  MetricColumns metrics;
  for (const store::Answer* answer = begin; answer != end; ++answer) metrics.add(answer->metrics);
  if (suggested) metrics.add(suggested->metrics);
  std::vector<Table::Column> columns{{"#"}, {"config", false, true}, {"time"}, {"±"}};
  for (Table::Column& column : metrics.columns()) columns.push_back(std::move(column));
  for (const char* title : {"vs naive", "GB/s", "mbu", "sol"}) columns.push_back({title});
  for (const char* title : {"match", "layer"}) columns.push_back({title, false});
  Table table(std::move(columns));
  for (const store::Answer* answer = begin; answer != end; ++answer) {
    const bool timed = has_time(*answer);
    const Figures f =
        timed ? figures_of(answer->trial->time_us, answer->trial->spread, answer->entry->result) : Figures{};
    std::vector<std::string> cells{std::to_string(answer - begin + 1), answer->config.label(), unit.text(f.time_us),
                                   timed ? spread_text(f.spread) : ""};
    for (std::string& cell : metrics.cells(answer->metrics)) cells.push_back(std::move(cell));
    for (std::string cell : {timed && naive_us > 0 ? factor(naive_us / f.time_us) : "",
                             f.gb_per_s ? rate(*f.gb_per_s) : "", f.mbu ? percent(*f.mbu) : "",
                             f.sol ? percent(*f.sol) : "", std::string(store::to_text(answer->match)), answer->layer})
      cells.push_back(std::move(cell));
    table.add(std::move(cells), answer == begin);
  }
  std::vector<std::string> notes = metrics.notes();
  if (begin != end && has_time(*begin) && !begin->entry->result.objective.empty())
    notes.insert(notes.begin(), "ranked by " + begin->entry->result.objective);
  if (suggested) {
    add_suggested(table, *suggested, *begin, naive_us, unit, metrics);
    notes.push_back(suggestion_text(*suggested));
  }
  for (const store::Answer* answer = begin; answer != end; ++answer)
    for (std::string& note : forbid_notes(answer->forbidden))
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  std::string out = table.text(style);
  for (const std::string& note : notes) out += style.text("  " + one_line(note) + "\n");
  return out;
}

}  // namespace

std::string answers_text(const std::vector<store::Answer>& answers, const store::Query& query, const Mend& mend,
                         const Style& style) {
  std::string out;
  for (const store::Answer& answer : answers) {
    if (!out.empty()) out += "\n";
    out += block(answer, style);
  }
  return out + style.text(inexact_line(answers, query, mend));
}

std::string answers_table(const std::vector<store::Answer>& answers, const store::Query& query, const Mend& mend,
                          const Style& style, const Beside& beside) {
  std::string out;
  for (std::size_t begin = 0; begin < answers.size();) {
    std::size_t end = begin;
    while (end < answers.size() && answers[end].problem == answers[begin].problem &&
           answers[end].gpu.name == answers[begin].gpu.name)
      ++end;
    if (!out.empty()) out += "\n";
    out += style.bold(one_line(heading(answers[begin]))) + "\n";
    out += kernel_table(answers.data() + begin, answers.data() + end, beside, style);
    begin = end;
  }
  return out + style.text(inexact_line(answers, query, mend));
}

}  // namespace tuner::report
