// What is known, a row a finished problem.
#pragma once

#include <string>
#include <vector>

#include "report/style.h"
#include "store/lookup.h"

namespace tuner::report {

std::string list_text(const std::vector<const store::Entry*>& entries, const Style& style);
// With what people overruled: JSON arrays of report/overrules_text.h.
std::string list_json(const std::vector<const store::Entry*>& entries, const std::string& pins,
                      const std::string& forbids);

}  // namespace tuner::report
