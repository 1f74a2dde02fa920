// The strategy that a person names: one of ours, or a program of theirs.
#pragma once

#include "search/exec_strategy.h"
#include "search/strategy.h"

namespace tuner::search {

struct Choice {
  std::string name;                  // "forest"; "exec" of a program
  std::vector<std::string> command;  // of a program
  std::string text;                  // as it was written
};

// "forest" or "exec:CMD". Throws UserError at `where`.
Choice choice_of(const std::string& text, const std::string& where);

// `exec` says all but the command. `domain` must outlive it; for `exhaustive` it is a listed one.
std::unique_ptr<Strategy> make_strategy(const Choice& choice, const Domain& domain, std::uint64_t seed,
                                        ExecOptions exec);

}  // namespace tuner::search
