// Structs passed by value.
#pragma once

#include <string>
#include <vector>

#include "core/execution.h"

namespace tuner::spec {

// Scalars in order as a C struct lies in memory: each at a multiple of its size, the whole a multiple of the largest.
std::string struct_bytes(const std::vector<Argument>& fields);

}  // namespace tuner::spec
