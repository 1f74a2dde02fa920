// A strategy that is another program: it is asked and told in lines of JSON on its standard input and output
// (docs/search.md).
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "search/strategy.h"

namespace tuner::search {

struct ExecOptions {
  std::vector<std::string> command;         // POSIX words, no shell
  std::string about;                        // a JSON object: what is searched
  std::size_t trials = 0;                   // that there will be at most; 0: as many as are asked for
  std::chrono::milliseconds answer{60000};  // the longest it may take for one
  std::function<bool()> stop{};             // Ctrl-C was asked for: Interrupted is thrown
  // Why a configuration is not legal, for who asked for it; empty where nobody knows.
  std::function<std::string(const Config&)> why_illegal{};
};

// Starts the program. `domain` must outlive it. Throws UserError where the program cannot be started, and its methods
// where it ends, does not answer in time, prints something else than what is expected, or asks for
// nothing new a hundred times in a row.
std::unique_ptr<Strategy> make_exec_strategy(const Domain& domain, std::uint64_t seed, const ExecOptions& options);

}  // namespace tuner::search
