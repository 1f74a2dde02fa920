// Finished problems as entries: in outline for choosing among many, whole when one is answered.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/lookup.h"
#include "store/rows.h"
#include "store/sqlite.h"

namespace tuner::store {

// The newest result of each GPU model, problem and regime, in outline (Entry::unread); the vector has
// room for as many more.
std::vector<Entry> outlines(const Store& store, std::size_t room = 0);

// Reads the rest of outlines: result, run and shown trials. `store` must outlive it.
class EntryReader {
 public:
  explicit EntryReader(const Store& store);
  // Nothing for an entry that is whole.
  void read_rest(Entry& entry);

 private:
  std::string path_;
  Statement result_;
  Statement trials_;
  KnownSteps steps_;
};

// Every trial of the entry's run, and where that is a refresh those behind it (store/runs_behind.h).
std::vector<Trial> all_trials(const Store& store, const Entry& entry);

// What one run finished, whole.
std::vector<Entry> entries_of_run(const Store& store, std::int64_t run);

// Of all runs under this driver ("580.159": also "580.159.04") the newest of each GPU model, problem and regime, whole.
std::vector<Entry> entries_of_driver(const Store& store, const std::string& driver);

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
