// What is known to be good at a problem of another kernel.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "spec/kernel_spec.h"

namespace tuner::tune {

// A problem of another kernel, and what is known to be good there.
struct Known {
  const spec::KernelSpec* kernel = nullptr;
  Problem problem;
  Config config;
  std::string match;  // "exact", "default", ...
};

// Of the kernel `name`, launched in this regime, at the shape of a problem and with the facts that both have. Empty: no
// such kernel, or nothing legal. May throw UserError, as for a kernel without the regime.
using KnownOf = std::function<std::optional<Known>(const std::string& name, const Problem& like,
                                                   const std::string& regime, const GpuFacts& gpu)>;

}  // namespace tuner::tune
