// Why there is no answer at a shape.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"
#include "spec/catalog.h"
#include "store/lookup.h"

namespace tuner::cli {

// A line for the kernel that is asked, else for each of the few that are not built in and take as many dims: what of
// its manifest leaves no configuration there. None for a kernel that has some, or cannot be at this shape at all.
std::vector<std::string> why_none(const Context& context, const spec::Catalog& catalog, const store::Query& query);

}  // namespace tuner::cli
