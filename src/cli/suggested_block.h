// What cudaOccupancyMaxPotentialBlockSize would choose in the place of the best configuration.
#pragma once

#include <optional>
#include <vector>

#include "core/gpu.h"
#include "report/suggested_block.h"
#include "spec/kernel_spec.h"

namespace tuner::cli {

// Of the values of the parameter that is the block's threads, all else being the best's: the one with the most resident
// threads an SM, the largest of equal ones, as the API chooses. Registers are those of `trials` where the configuration
// is among them, else the best's. Empty where no one parameter is the block, or registers or the manifest's
// configuration are not known.
std::optional<report::SuggestedBlock> suggested_block(const spec::KernelSpec& kernel, const GpuFacts& gpu,
                                                      const Trial& best, const std::vector<Trial>& trials);

}  // namespace tuner::cli
