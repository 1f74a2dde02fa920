// `__constant__` variables of a program, which its host code fills, as a first manifest gives them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/draft_arguments.h"

namespace tuner::cli {

// One line of `args` each; those with a value in the source are left out.
std::vector<DraftLine> symbol_lines(std::string_view source);

}  // namespace tuner::cli
