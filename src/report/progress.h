// One line that says how far a sweep is: rewritten on a terminal, else written now and then.
#pragma once

#include <chrono>
#include <functional>
#include <ostream>
#include <string>

#include "report/style.h"
#include "tune/events.h"

namespace tuner::report {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;

  Progress(std::ostream& out, const Style& style, bool quiet, Now now);

  void begin(const tune::ProblemEvent& problem);
  // What stands in front of every line.
  void begin(const std::string& head);
  // On a terminal at most five times a second; elsewhere at each new best and every 30 s.
  void update(const tune::ProgressEvent& event);
  // "WHAT; HOW LONG": elsewhere than on a terminal once for each `what`.
  void waiting(const std::string& what, const std::string& how_long);
  // Takes the line away, so that something else can be written.
  void clear();

 private:
  void rewrite(const std::string& text, Clock::time_point now);
  std::string line(const tune::ProgressEvent& event, Clock::time_point now) const;

  std::ostream& out_;
  Style style_;
  bool quiet_;
  Now now_;
  std::string head_;
  Clock::time_point last_;
  Clock::time_point phase_began_;
  tune::Phase phase_ = tune::Phase::compile;
  double best_us_ = 0;
  std::string waited_for_;
  bool shown_ = false;
};

}  // namespace tuner::report
