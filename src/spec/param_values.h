// Values of parameters as written in defaults and sweep files. Private to spec/.
#pragma once

#include <vector>

#include "core/value.h"
#include "spec/cursor.h"
#include "spec/kernel_spec.h"

namespace tuner::spec {

// The value or list of values that `body` gives the parameter `key` names. Throws UserError for an unknown parameter
// or value, with a "did you mean".
std::vector<Value> values_for(const KernelSpec& kernel, const Cursor& key, const Cursor& body);

}  // namespace tuner::spec
