// A sweep on the terminal: results to one stream, everything else to another.
#pragma once

#include <chrono>
#include <functional>
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
    std::string kernel_flags = {};  // " --kernels DIR", for the commands that it names
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
  std::string next_shape_;
  std::string next_kernel_;
};

}  // namespace tuner::report
