// More of a finished problem than its results file shows.
#pragma once

#include <vector>

#include "store/lookup.h"

namespace tuner::store {

// Every trial of the entry's run.
std::vector<Trial> all_trials(const Store& store, const Entry& entry);

}  // namespace tuner::store
