// A manifest's baseline: a host function in a .cu that launches somebody else's kernels, built by nvcc into a shared
// object that the worker loads.
#pragma once

#include <string>

#include "spec/kernel_spec.h"

namespace tuner::compile {

// The path of the object; it goes when this process ends. `arch`: "sm_90". Throws UserError with the compiler's words,
// MachineError where there is no nvcc.
std::string build_baseline(const spec::BaselineSpec& baseline, const std::string& arch);

}  // namespace tuner::compile
