// Stored results confirmed again with what is here now. Of each only what was tied is compiled, and it runs again where
// a binary or the driver is another: tune_problem over these few, stored as a new result.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compile/cache.h"
#include "store/store.h"
#include "tune/events.h"
#include "tune/refresh_plan.h"
#include "tune/session.h"
#include "tune/sweep.h"

namespace tuner::tune {

enum class RefreshOutcome {
  same_binary,  // of all that was tied, launched alike: nothing ran, and the row holds
  confirmed,    // the winner won again
  another,      // of what was tied another answers now
  unconfirmed,  // see why; a sweep has to say what is best
};
std::string_view to_text(RefreshOutcome outcome);  // "same_binary"

struct Refreshed {
  const StoredRow* row = nullptr;
  RefreshOutcome outcome = RefreshOutcome::unconfirmed;
  Config config;         // that answers now
  double before_us = 0;  // the winner's; 0: unknown
  double time_us = 0;    // of `config`; 0: it was not timed
  int verified = 0;      // on a device without times
  std::string why;       // of another and unconfirmed; else empty
};

struct RefreshDone {
  int left = 0;  // rows that were not reached
  bool interrupted = false;
};

struct RefreshOptions {
  SweepOptions sweep;            // `again`: what has the same binary runs as well
  double time_budget_s = 0;      // 0: none
  bool against_ceilings = true;  // probes run beside what is timed
  std::function<void(const Refreshed&)> on_row;
};

// The rows in their order. A row of a results file is taken into the store first: nothing else is written.
RefreshDone refresh(const RefreshPlan& plan, const RefreshOptions& options, compile::Cache& cache, store::Store& store,
                    Observer& observer);
// The same on a device that is open.
RefreshDone refresh(const RefreshPlan& plan, const RefreshOptions& options, Session& session, store::Store& store,
                    Observer& observer);

}  // namespace tuner::tune
