// What runs in the rounds beside the candidates: size-matched probes, the vendor's kernel, the manifest's baselines.
#pragma once

#include <string>
#include <vector>

#include "tune/ceiling.h"
#include "tune/timing.h"

namespace tuner::tune {

// Probes of a gemv with x and without, the vendor's kernel in both orders.
struct Extras {
  std::vector<Probe> with_x, without_x;
  double scale = 1;         // of the probes' times
  bool narrow = false;      // not all configurations of the probes were tried
  std::vector<int> vendor;  // member ids
  std::vector<Beside> own;  // the manifest's
  std::vector<std::string> notes;
};

// Loaded as members, the likely probes first; baselines that are wrong or cannot be had are notes. Throws WorkerLost.
Extras load_extras(const TimingRequest& request, const Execution& execution, Session& session);
// All configurations of the probes in place of the likely ones.
void widen(Extras& extras, const spec::PlannedProblem& planned, const Workload& workload, Session& session);

// What a problem whose candidates are all tried will have compiled: they and the likely probes of its size.
std::vector<compile::Source> sources_ahead(const spec::PlannedProblem& planned, const Session& session);

}  // namespace tuner::tune
