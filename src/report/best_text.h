// Answers of a look-up as text.
#pragma once

#include <string>
#include <vector>

#include "report/style.h"
#include "store/lookup.h"

namespace tuner::report {

// Every answer as a block, best first; the command that would make it exact stands at the end when one is not.
std::string answers_text(const std::vector<store::Answer>& answers, const store::Query& query, const Style& style);

// Answers of one kernel and GPU beside each other: --top and --by.
std::string answers_table(const std::vector<store::Answer>& answers, const store::Query& query, const Style& style);

// "tuner sweep --kernel K [--kernel ...] --shape MxN [--set ...]".
std::string sweep_command(const std::vector<std::string>& kernels, const store::Query& query);

}  // namespace tuner::report
