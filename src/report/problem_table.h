// One finished problem as text: the table of times, what was rejected and why, what to do next.
#pragma once

#include <string>

#include "report/style.h"
#include "tune/events.h"

namespace tuner::report {

struct TableOptions {
  int leaders = 5;             // rows beside the default and the best of each variant
  std::string by = "variant";  // the best of each value of this parameter always has a row
  std::string explain_flags;   // " --db FILE", of the `tuner explain TRIAL` that is named
  std::string device{};        // whose it is, where several are at work
};

// "gemv_f16 4096x14336" with those facts that are not what the manifest takes by default left to the caller.
std::string problem_text(const Problem& problem);
// For a device that emulates, what was verified; for a GPU, the table with times.
std::string problem_report(const tune::ProblemDone& done, bool emulated, const Style& style,
                           const TableOptions& options = {});
std::string time_table(const tune::ProblemDone& done, const Style& style, const TableOptions& options);
std::string ceiling_lines(const ProblemResult& result);
// Empty when nothing was rejected. `explain_flags` as in TableOptions.
std::string rejections(const std::vector<Trial>& trials, const Style& style, const std::string& explain_flags = {});

}  // namespace tuner::report
