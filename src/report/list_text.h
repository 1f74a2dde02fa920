// What is known, a row a finished problem.
#pragma once

#include <string>
#include <vector>

#include "report/style.h"
#include "store/lookup.h"

namespace tuner::report {

// One row. `best`: what the row answers its own problem with; null where it has none, or all of it is forbidden.
// `forbids`: that keep its winner from answering.
struct Listed {
  const store::Entry* entry;
  const Trial* best;
  std::vector<const store::Forbid*> forbids;
  std::vector<Metric> metrics{};  // of `best`, where it has a time
};

std::string list_text(const std::vector<Listed>& rows, const Style& style);
// With what people overruled: JSON arrays of report/overrules_text.h.
std::string list_json(const std::vector<Listed>& rows, const std::string& pins, const std::string& forbids);

}  // namespace tuner::report
