// One sweep on several devices at once: a worker each, compiles and database shared. Devices of one model share the
// problems of the plan, each other model does the whole plan.
#pragma once

#include "tune/sweep.h"

namespace tuner::tune {

// A device, and what starts its worker.
struct Place {
  std::string name;    // "cuda:1": who is meant in what is told
  std::string device;  // as SweepOptions::device
  std::vector<std::string> launcher{};
};

// As sweep(), on all of `places`. A device that cannot be opened or is lost on the way is left out with a warning, and
// what it was at goes to another of its model. Throws MachineError at the end where problems are left for which there
// is no device any more, and what the first device failed with where none could be opened.
SweepDone sweep_on_several(const std::vector<Place>& places, const spec::SweepPlan& plan, const SweepOptions& options,
                           compile::Cache& cache, store::Store& store, Observer& observer);

}  // namespace tuner::tune
