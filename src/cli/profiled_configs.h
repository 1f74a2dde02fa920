// The configurations that `profile` is asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/chosen_config.h"
#include "cli/commands.h"
#include "spec/catalog.h"

namespace tuner::cli {

// How they are named on the command line.
struct ProfileWords {
  std::vector<std::string> params;              // PARAM=VALUE, for one configuration
  std::vector<std::vector<std::string>> sides;  // --compare: of A and of B PARAM=VALUE, or a single trial
};
// Throws UserError for flags and words that exclude each other.
ProfileWords profile_words(const Context& context);

// One for each that is named, else of each value of --by or the best --top; all legal on this GPU. Throws as
// chosen_config.
std::vector<ChosenConfig> profiled_configs(const Context& context, const spec::Catalog& catalog,
                                           const spec::KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu,
                                           const ProfileWords& words);

}  // namespace tuner::cli
