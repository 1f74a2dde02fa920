#include "report/terminal_report.h"

#include <fmt/format.h>

#include "report/format.h"
#include "report/problem_table.h"

namespace tuner::report {

TerminalReport::TerminalReport(Options options, Progress::Now now)
    : options_(options), progress_(*options_.notes, options_.notes_style, options_.quiet, std::move(now)) {}

void TerminalReport::note(const std::string& line) {
  if (options_.quiet) return;
  progress_.clear();
  *options_.notes << options_.notes_style.text(line) << std::endl;
}

namespace {

// In front of what one of several devices tells.
std::string whose(const std::string& device) { return device.empty() ? "" : device + "  "; }

}  // namespace

void TerminalReport::on_device(const tune::DeviceEvent& event) {
  emulated_ = event.emulated;
  const std::string head = "device   " + whose(event.device);
  if (event.emulated) return note(fmt::format("{}host, emulated: verifies, gives no times ({})", head, event.nvrtc));
  std::string line = head + gpu_text(event.gpu);
  if (!event.gpu.driver.empty()) line += ", driver " + event.gpu.driver;
  line += ", " + compiler_text(event.nvrtc);
  note(line);
  if (event.sustained_read_gb_per_s > 0)
    note(fmt::format(
        "ceiling  {}{} GB/s read{}, measured now", whose(event.device), rate(event.sustained_read_gb_per_s),
        event.sustained_copy_gb_per_s > 0 ? fmt::format(", {} GB/s copy", rate(event.sustained_copy_gb_per_s))
                                          : std::string()));
}

void TerminalReport::on_wait(const tune::WaitEvent& event) {
  progress_.waiting("waiting  " + whose(event.device) + event.why,
                    fmt::format("{} of {}", duration(event.waited_s), duration(event.limit_s)));
}

void TerminalReport::on_plan(const tune::PlanEvent& event) {
  std::string line =
      "plan     " + (event.gpu.empty() ? "" : event.gpu + ": ") + count(event.problems, "problem", "problems");
  if (event.finished_before > 0)
    line += fmt::format(" ({} finished before; --again repeats them)", event.finished_before);
  line += ", " + count(event.candidates, "configuration", "configurations");
  if (event.distinct_sources > 0) line += ", " + count(event.distinct_sources, "distinct source", "distinct sources");
  note(line);
  if (event.database != database_) note("results  " + event.database);
  database_ = event.database;
}

void TerminalReport::on_problem(const tune::ProblemEvent& event) {
  std::int64_t excluded = 0;
  for (const auto& [constraint, n] : event.excluded) excluded += n;
  std::string line =
      fmt::format("problem  {}[{}/{}] {}   ", whose(event.device), event.index, event.of, problem_text(event.problem));
  if (event.search.empty())
    line += fmt::format("{} of {} pass the constraints", event.candidates, event.candidates + excluded);
  else
    line += fmt::format("at most {}, as {} asks for them", count(event.candidates, "configuration", "configurations"),
                        event.search);
  note(line);
  if (options_.verbose)
    for (const auto& [constraint, n] : event.excluded)
      note(fmt::format("           {:>6} excluded by {}", n, constraint));
  progress_.begin(event);
  last_ = event.problem;
}

void TerminalReport::on_progress(const tune::ProgressEvent& event) { progress_.update(event); }

void TerminalReport::on_problem_done(const tune::ProblemDone& done) {
  progress_.clear();
  TableOptions table;
  table.device = done.device;
  table.explain_flags = options_.explain_flags;
  if (options_.results)
    *options_.results << problem_report(done, emulated_, options_.results_style, table) << "\n" << std::flush;
}

void TerminalReport::on_warning(const std::string& warning) {
  progress_.clear();
  *options_.notes << options_.notes_style.text("warning: " + warning) << std::endl;
}

namespace {

std::string spent_text(const tune::SweepDone& done) {
  std::string text;
  for (const auto& [work, seconds] : done.spent)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", work, duration(seconds));
  return text;
}

}  // namespace

void TerminalReport::on_done(const tune::SweepDone& done) {
  progress_.clear();
  std::string line =
      (done.interrupted ? "interrupted after " : "done     ") + count(done.problems, "problem", "problems");
  if (done.without_winner > 0) line += fmt::format(" ({} without a valid configuration)", done.without_winner);
  line += fmt::format(", {} in {}", count(done.trials, "trial", "trials"), duration(done.seconds));
  if (!done.runs.empty())
    line += fmt::format("; saved as {} {}", done.runs.size() > 1 ? "runs" : "run", fmt::join(done.runs, ", "));
  note(line);
  if (options_.verbose) note("spent    " + spent_text(done));
  if (done.interrupted) return note("next     the same command goes on where this one stopped");
  if (last_ && options_.next) note("next     " + options_.next(*last_, emulated_));
}

}  // namespace tuner::report
