// The one configuration that a person names: what pin and run read alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "spec/catalog.h"
#include "store/lookup.h"

namespace tuner::cli {

struct ChosenConfig {
  Config config;
  std::int64_t trial = 0;  // that it was taken from; 0: none
};

// That of --trial, else of `words` (PARAM=VALUE), where what is not named takes its first legal value; empty where
// neither is given. Throws UserError for both, for words that no legal configuration fits and for a trial of another
// kernel; NothingFound where there is no such trial.
std::optional<ChosenConfig> chosen_config(const Context& context, const spec::KernelSpec& kernel,
                                          const Problem& problem, const GpuFacts& gpu,
                                          const std::vector<std::string>& words);

// Throws UserError where it cannot be launched at this problem.
void refuse_illegal(const store::KernelKnowledge& kernels, const Problem& problem, const Config& config,
                    const GpuFacts& gpu);

}  // namespace tuner::cli
