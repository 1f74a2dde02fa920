// Answers of a look-up as the one document of `best --json`.
#pragma once

#include <string>
#include <vector>

#include "report/best_text.h"
#include "store/lookup.h"

namespace tuner::report {

// Times and what is derived from them, and what `beside` says, are null unless the match is exact or pinned.
std::string best_json(const std::vector<store::Answer>& answers, const store::Query& query, const Beside& beside);

}  // namespace tuner::report
