// A result without what people forbid.
#pragma once

#include <optional>
#include <vector>

#include "store/lookup.h"

namespace tuner::store {

// The entry without forbidden trials, winner and ties decided again among the others by the same rule; empty when no
// finalist is left. An entry of which nothing is forbidden is returned as it is.
std::optional<Entry> allowed_part(const Entry& entry, const std::vector<Forbid>& forbids);

}  // namespace tuner::store
