// Two kernels of one problem, compiled, verified and timed against each other on the device of a session. Nothing is
// stored.
#pragma once

#include <functional>
#include <string>

#include "measure/compare.h"
#include "spec/sweep_plan.h"
#include "tune/session.h"

namespace tuner::tune {

// One of the two: a kernel, in its regime, and how it is launched. The kernels may be of different files under one
// name.
struct Contender {
  spec::PlannedProblem planned;
  Config config;
};

struct Duel {
  Verdict a, b;              // of verification and of what was timed
  bool same_binary = false;  // and launched alike: what is measured is noise
  std::string failure;       // what kept both from being timed, and is neither's; empty where nothing did
  bool timed = false;        // false as well on the host device
  measure::Comparison result;
};

struct DuelOptions {
  measure::CompareRules rules;
  double max_time_s = 10;     // of timing; the least batches are run in any case
  bool only_changed = false;  // what has the same binary is not timed
  std::function<bool()> stop;
};

// Throws Interrupted, MachineError, and UserError where a manifest's reference or data do not fit.
Duel duel(const Contender& a, const Contender& b, Session& session, const DuelOptions& options);

}  // namespace tuner::tune
