// Pins and forbids as reviewable text, entries and keys in a fixed order:
// {"tuner": 1, "pins": [...], "forbids": [...]}. A results file may hold both keys too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace tuner::store {

struct Overrules {
  std::vector<Pin> pins;
  std::vector<Forbid> forbids;
};

bool same_place(const Pin& a, const Pin& b);        // of one problem, regime and GPU
bool same_place(const Forbid& a, const Forbid& b);  // of the same configurations, kernel and GPU

// Replaces what has the same place; the time is set where it is empty.
void put(Overrules& overrules, Pin pin);
void put(Overrules& overrules, Forbid forbid);

// One entry as the file has it.
std::string entry_json(const Pin& pin);
std::string entry_json(const Forbid& forbid);

// The whole file.
std::string write_overrules(Overrules overrules);
// The two lists alone, as `"pins": [...]` and `"forbids": [...]` on lines of their own, joined by a comma.
std::string overrules_lists(Overrules overrules);

// An absent file has none. Throws UserError with file and entry, also for a file that holds results beside them.
Overrules read_overrules(const std::string& path);
// Throws UserError for a file of this results folder that seems to hold pins or forbids and cannot be read: look-ups
// leave it out with a warning, but what runs would run what somebody forbade. MachineError for one that nobody may
// read, and for a folder that cannot be listed.
void check_overrules(const std::string& folder);

// What the keys `pins` and `forbids` of this JSON object say; neither has to be there.
Overrules parse_overrules(std::string_view object, const std::string& path);

}  // namespace tuner::store
