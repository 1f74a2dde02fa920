// What a buffer holds before a run, as a manifest writes it. Private to spec/.
#pragma once

#include "core/execution.h"
#include "spec/cursor.h"

namespace tuner::spec {

// uniform(low, high), normal(mean, deviation), constant(value), iota(first, step), iota, file(PATH). A relative path is
// from the manifest's folder. Throws UserError.
Fill fill_at(const Cursor& at);

}  // namespace tuner::spec
