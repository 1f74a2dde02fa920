// More of a finished problem than its results file shows.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "store/lookup.h"

namespace tuner::store {

// Every trial of the entry's run.
std::vector<Trial> all_trials(const Store& store, const Entry& entry);

// The finished problem that this trial is of, the trial among those it shows; empty when it did not finish.
std::optional<Entry> entry_of(const Store& store, const Trial& trial);

// The newest trial of a configuration at a problem that came to an end on a GPU model that `on` accepts, whatever
// became of it.
struct PlacedConfig {
  Problem problem;
  std::string regime;
  Config config;
};
std::optional<Trial> newest_trial(const Store& store, const PlacedConfig& wanted,
                                  const std::function<bool(const GpuFacts&)>& on);

}  // namespace tuner::store
