// A sweep on the terminal: results to one stream, everything else to another.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "report/progress.h"
#include "report/style.h"
#include "tune/events.h"

namespace tuner::report {

class TerminalReport : public tune::Observer {
 public:
  struct Options {
    std::ostream* results = nullptr;  // null: another observer writes them (--json)
    std::ostream* notes = nullptr;    // never null
    Style results_style;
    Style notes_style;
    bool quiet = false;
    bool verbose = false;
    // What to do next, after a problem of this kind on the host device or a GPU; null: nothing is said.
    std::function<std::string(const Problem& problem, bool emulated)> next = {};
    std::string explain_flags = {};  // as in TableOptions
  };
  TerminalReport(Options options, Progress::Now now = std::chrono::steady_clock::now);

  void on_device(const tune::DeviceEvent& event) override;
  void on_wait(const tune::WaitEvent& event) override;
  void on_plan(const tune::PlanEvent& event) override;
  void on_problem(const tune::ProblemEvent& event) override;
  void on_progress(const tune::ProgressEvent& event) override;
  void on_problem_done(const tune::ProblemDone& done) override;
  void on_warning(const std::string& warning) override;
  void on_done(const tune::SweepDone& done) override;

 private:
  void note(const std::string& line);

  Options options_;
  Progress progress_;
  bool emulated_ = false;
  std::string database_;
  std::optional<Problem> last_;
};

}  // namespace tuner::report
