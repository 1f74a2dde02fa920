// Parameters that change nothing.
#pragma once

#include <string>
#include <vector>

#include "spec/kernel_spec.h"

namespace tuner::compile {

// Parameters whose names neither the source and its headers use, comments aside, nor any expression of the manifest:
// each value of one is the same kernel once more. None where headers outside the kernel's own folders may use them.
// Throws as render does.
std::vector<std::string> unused_params(const spec::KernelSpec& kernel);

}  // namespace tuner::compile
