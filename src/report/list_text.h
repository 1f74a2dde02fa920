// What is known, a row a finished problem.
#pragma once

#include <string>
#include <vector>

#include "report/style.h"
#include "store/lookup.h"

namespace tuner::report {

std::string list_text(const std::vector<const store::Entry*>& entries, const Style& style);
std::string list_json(const std::vector<const store::Entry*>& entries);

}  // namespace tuner::report
