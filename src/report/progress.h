// One line that says how far a sweep is: rewritten on a terminal, else written now and then.
#pragma once

#include <chrono>
#include <functional>
#include <map>
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
  // On a terminal at most five times a second, and of several devices one for a second at least; elsewhere at each new
  // best and every 30 s.
  void update(const tune::ProgressEvent& event);
  // "WHAT; HOW LONG": elsewhere than on a terminal once for each `what`.
  void waiting(const std::string& what, const std::string& how_long);
  // Takes the line away, so that something else can be written.
  void clear();

 private:
  // Of one device.
  struct Line {
    std::string head;
    Clock::time_point last;
    Clock::time_point phase_began;
    tune::Phase phase = tune::Phase::compile;
    double best_us = 0;
  };
  void begin(Line& line, const std::string& head);
  Line& line_of(const std::string& device);
  void rewrite(const std::string& text, Clock::time_point now);
  static std::string text_of(const Line& line, const tune::ProgressEvent& event, Clock::time_point now);

  std::ostream& out_;
  Style style_;
  bool quiet_;
  Now now_;
  std::map<std::string, Line> lines_;  // by device
  Clock::time_point last_;             // that something was written over
  std::string shown_device_;
  Clock::time_point shown_since_;
  std::string waited_for_;
  bool shown_ = false;
};

}  // namespace tuner::report
