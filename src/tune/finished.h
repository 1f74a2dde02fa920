// Problems that a sweep finds finished.
#pragma once

#include <vector>

#include "spec/sweep_plan.h"
#include "store/store.h"
#include "tune/events.h"
#include "tune/overrules.h"
#include "tune/searching.h"
#include "tune/session.h"

namespace tuner::tune {

// Whether the stored results say all that a sweep of this problem could: every configuration that it would run was
// tried, or by a search as many as it may try. On the host device, whose sweeps are cheap, with the template and
// manifest that are here; on a GPU it is check_finished that says what has changed. Compiles nothing.
bool is_finished(const spec::PlannedProblem& planned, const std::string& regime, const GpuFacts& gpu, bool emulated,
                 const Overrules& overrules, const store::Store& store, const Searching* searching = nullptr);

// Compiles the winners of those whose template, manifest or NVRTC has changed since. The same binary: the row holds for
// what is here now, and the store is told. Another: a warning counts them.
void check_finished(const std::vector<spec::PlannedProblem>& finished, const std::string& regime, Session& session,
                    store::Store& store, Observer& observer);

}  // namespace tuner::tune
