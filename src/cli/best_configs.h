// The configurations that `best` answers, for commands that launch one.
#pragma once

#include <vector>

#include "cli/chosen_config.h"
#include "cli/commands.h"
#include "store/lookup.h"

namespace tuner::cli {

// The `top` best of this problem on this GPU, of the regime that is asked for where it has any. Throws NothingFound
// where there is none.
std::vector<ChosenConfig> best_configs(const Context& context, const spec::Catalog& catalog, const Problem& problem,
                                       const GpuFacts& gpu, int top = 1);

}  // namespace tuner::cli
