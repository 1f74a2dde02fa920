// The verified candidates of a problem timed against each other in interleaved rounds; the best of them are confirmed.
#pragma once

#include <functional>
#include <optional>

#include "core/trial.h"
#include "spec/sweep_plan.h"
#include "tune/candidates.h"
#include "tune/ceiling.h"
#include "tune/rivals.h"
#include "tune/verify_all.h"

namespace tuner::tune {

struct Timing {
  std::vector<int> finalists;  // indices of candidates, best first; empty: nothing was timed
  int winner = -1;
  std::vector<int> tied;  // winner first
  double margin = least_margin;
  double noise_floor = 0;
  Ceiling ceiling;  // without the sustained part
  std::vector<Baseline> baselines;
  std::vector<std::string> notes;  // baselines that could not be timed, with their reasons
  Conditions before, after;
  bool too_fast = false;   // a finalist beat the probe by over 2 %; nothing was decided
  bool overtaken = false;  // others had been faster in the race than the winner is now
  bool again = false;      // a finalist was rejected, who may have driven others out; nothing was decided
};

struct TimingRequest {
  const spec::PlannedProblem* planned = nullptr;
  const Workload* workload = nullptr;  // id 0, loaded with rotation copies
  int incumbent = -1;                  // index of a candidate, or -1
  bool ring_doubled = false;           // then who still beats the probe by over 2 % is rejected
  std::function<bool()> stop;
  std::function<void(std::int64_t done, std::int64_t of, double best_us)> progress;
  KnownOf known_of{};        // of the kernels that are baselines; empty: they are left out
  bool raced_again = false;  // then nobody is overtaken
};

// Records and replays one candidate with nobody beside it. A lost worker is its verdict, unless others killed it: then
// it throws WorkerLost.
Verdict time_one(Candidate& candidate, int index, Session& session);

// Fills samples, time, spread and status of every candidate's trial. Throws WorkerLost when the worker dies in it; the
// caller decides who is charged.
Timing time_candidates(CandidateSet& set, Session& session, const TimingRequest& request);

}  // namespace tuner::tune
