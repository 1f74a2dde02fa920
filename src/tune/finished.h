// Problems that a sweep finds finished.
#pragma once

#include <vector>

#include "spec/sweep_plan.h"
#include "store/store.h"
#include "tune/events.h"
#include "tune/session.h"

namespace tuner::tune {

// Compiles the winners of those whose template, manifest or NVRTC has changed since. The same binary: the row holds for
// what is here now, and the store is told. Another: a warning counts them.
void check_finished(const std::vector<spec::PlannedProblem>& finished, const std::string& regime, Session& session,
                    store::Store& store, Observer& observer);

}  // namespace tuner::tune
