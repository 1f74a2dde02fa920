// What is left of accidents: a database that cannot be used, locks and files of processes that are gone.
#pragma once

#include <string>
#include <vector>

#include "cli/places.h"

namespace tuner::cli {

// A sentence each. With `repair` they say what was done: the tool's own database is renamed, never deleted; one that
// was named is only spoken of.
std::vector<std::string> look_for_damage(const Places& places, bool repair);

}  // namespace tuner::cli
