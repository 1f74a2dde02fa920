// What is said of a wrong result beside its value.
#pragma once

#include <string>

#include "core/execution.h"
#include "measure/data_set.h"
#include "measure/judge.h"

namespace tuner::measure {

// What it was asked on, and what of the manifest says what is right there: "; on small integers, with `bound: exact`".
std::string asked_on(DataSet set, const Expectation& expected, const Workload& workload);

}  // namespace tuner::measure
