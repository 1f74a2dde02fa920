// One problem from its space to its winner.
#pragma once

#include "store/store.h"
#include "tune/candidates.h"
#include "tune/ceiling.h"
#include "tune/events.h"
#include "tune/obey.h"
#include "tune/rivals.h"
#include "tune/searching.h"

namespace tuner::tune {

struct ProblemContext {
  Session& session;
  store::Store& store;
  Observer& observer;
  Sustained* sustained;  // null: ceilings are not probed
  std::int64_t run = 0;
  int index = 1;  // of the problem in this sweep
  int of = 1;
  std::function<bool()> stop;
  const Overrules* overrules = nullptr;  // null: none
  // The stored winner runs beside what the sweep asks for, so that a sweep of other configurations does not leave a
  // slower answer than was known.
  bool with_winner = false;
  Peaks* peaks = nullptr;                // null: what arithmetic reaches is not probed
  const KnownOf* known_of = nullptr;     // null: kernels that are baselines are left out
  const Searching* searching = nullptr;  // null: every configuration is tried
  bool forgiving = false;                // what cost a process before is run all the same
};

// Those that cost a process before and are to be refused for it.
std::vector<Trial> deadly_trials(const spec::PlannedProblem& planned, const ProblemContext& context);

// Stores every trial and, where it was not stopped, the result. Throws Interrupted where a stop ended what was going
// on; what had a verdict is stored. Winner 0: nothing valid, or a device without times. Of PlannedProblem::exactly no
// result is stored where nothing is valid: the one before stands.
ProblemDone tune_problem(const spec::PlannedProblem& planned, const ProblemContext& context);

}  // namespace tuner::tune
