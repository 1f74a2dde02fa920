// What `tuner compare` found.
#pragma once

#include <string>
#include <vector>

#include "core/gpu.h"
#include "report/style.h"
#include "tune/compare.h"

namespace tuner::report {

struct ComparedSide {
  Config config;
  std::string origin;  // where the configuration comes from
  std::string gpu;     // of a stored time
  std::string driver;
  Verdict verdict;   // not ok: it is not right, and was not timed
  std::string note;  // what should be known of its code; may be empty
};

struct Compared {
  // measured: in the same paired rounds; paired: stored numbers of such rounds; stored: of different ones; verified: on
  // a device without times; none: see `why_not`.
  enum class How { measured, paired, stored, verified, none };

  Problem problem;
  std::string regime = "plain";
  How how = How::none;
  std::string why_not;
  ComparedSide a, b;
  bool same_binary = false;
  measure::Comparison result;  // of what has times
  double seconds = 0;          // that it took
};

struct CompareReport {
  std::string a, b;  // what the sides are
  std::string command;
  GpuFacts here;  // without a name: nothing was measured
  measure::CompareRules rules;
  bool strict = false;
  std::vector<Compared> all;
};

bool has_times(const Compared& one);

// What is wrong with this one under the gate: it is slower, B is not right, or, under `strict`, nobody knows; empty
// where nothing is. Of one that is merely unknown `doubt` says why.
std::string failure_of(const Compared& one, const CompareReport& report);
std::string doubt_of(const Compared& one, const CompareReport& report);

// "gemv_f16 4096x4096 dependent".
std::string compared_name(const Compared& one);
std::string_view to_text(Compared::How how);

std::string compare_text(const CompareReport& report, const Style& style);
std::string compare_json(const CompareReport& report);

// A test suite with a case for each problem, for a CI that reads JUnit's XML.
std::string compare_junit(const CompareReport& report);

}  // namespace tuner::report
