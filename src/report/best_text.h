// Answers of a look-up as text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/style.h"
#include "report/suggested_block.h"
#include "store/lookup.h"

namespace tuner::report {

// What the command that mends an answer needs beside the query.
struct Mend {
  std::string flags;    // behind the others: " --again --db 'my own.db'"
  bool pinned = false;  // a pin is wanted, not an exact row
};

// Every answer as a block, best first; the command that would make it exact stands at the end when one is not.
std::string answers_text(const std::vector<store::Answer>& answers, const store::Query& query, const Mend& mend,
                         const Style& style);

// What stands beside the best answers of a kernel and GPU; may be empty.
using Beside = std::function<std::optional<SuggestedBlock>(const store::Answer& best)>;

// Answers of one kernel and GPU beside each other: --top and --by.
std::string answers_table(const std::vector<store::Answer>& answers, const store::Query& query, const Mend& mend,
                          const Style& style, const Beside& beside = {});

// The command that makes these answers exact (or pinned), quoted for a shell; empty where all are.
std::string mending_command(const std::vector<store::Answer>& answers, const store::Query& query, const Mend& mend);

}  // namespace tuner::report
