// The one configuration that a person names: what pin, run and profile read alike.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "spec/catalog.h"
#include "store/lookup.h"

namespace tuner::cli {

struct ChosenConfig {
  Config config;
  std::string origin{};     // for people: "trial 8", "as given, the rest the manifest's default"
  std::int64_t trial = 0;   // of the database, that it was taken from; 0: none
  bool host_trial = false;  // --trial names one of the host device
};

// What may fill in for parameters that nobody named.
using Allowed = std::function<bool(const Config&)>;

// That of --trial, else of `words` (PARAM=VALUE); empty where neither is given. What words leave open is that of the
// fastest trial measured on such a GPU that agrees with them and is allowed, else of the first default of the manifest
// that does, else the first legal values. Throws UserError for both, for words that no legal configuration fits and for
// a trial of another problem; NothingFound where there is no such trial.
std::optional<ChosenConfig> chosen_config(const Context& context, const spec::KernelSpec& kernel,
                                          const Problem& problem, const GpuFacts& gpu,
                                          const std::vector<std::string>& words, const Allowed& allowed);

// That of the trial of this name. Throws as chosen_config; `where` names what was written.
ChosenConfig config_of_trial(const Context& context, const Problem& problem, const std::string& name,
                             const std::string& where);
// What `words` (not empty) choose.
ChosenConfig config_like(const Context& context, const spec::KernelSpec& kernel, const Problem& problem,
                         const GpuFacts& gpu, const std::vector<std::string>& words, const Allowed& allowed);

// Throws UserError where it cannot be launched at this problem.
void refuse_illegal(const Context& context, const store::KernelKnowledge& kernels, const Problem& problem,
                    const Config& config, const GpuFacts& gpu);

}  // namespace tuner::cli
