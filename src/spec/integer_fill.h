// What an input of integers may be filled with.
#pragma once

#include <string_view>

#include "core/value.h"

namespace tuner::spec {

// As a manifest writes it: all of a small type, and of a wide one enough to tell values apart.
std::string_view integer_fill(Type type);

}  // namespace tuner::spec
