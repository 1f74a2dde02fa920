// What a buffer holds before a run, as a manifest writes it. Private to spec/.
#pragma once

#include <optional>
#include <string>

#include "core/execution.h"
#include "spec/cursor.h"
#include "spec/kernel_spec.h"

namespace tuner::spec {

// uniform(low, high), normal(mean, deviation), constant(value), iota(first, step), iota, file(PATH). A relative path is
// from the manifest's folder. Throws UserError.
Fill fill_at(const Cursor& at);

struct Remedy {
  std::string what, hint;
};
// Of a buffer that is read, of this type, where it would hold nothing but 0, on which a wrong kernel passes: of
// integers the default fill does, and any uniform or normal one that stays below 1. Empty: it does not.
std::optional<Remedy> nothing_but_zero(const ArgSpec& arg, Type type);

}  // namespace tuner::spec
