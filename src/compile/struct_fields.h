// What a struct of a source holds, read from its definition by eye.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/declaration.h"

namespace tuner::compile {

// The members of `struct NAME { ... };` or `typedef struct { ... } NAME;` in order, each of an array on its own. Empty
// where there is none, and where it is more than a list of them: bases, unions, bit fields, an alignment of its own,
// arrays whose size is no number.
std::optional<std::vector<DeclaredParameter>> struct_fields(std::string_view source, std::string_view name);

}  // namespace tuner::compile
