// A manifest may bring C++ that runs on this machine, outside any device: its `host` reference.
#pragma once

#include <string>

#include "cli/commands.h"
#include "spec/kernel_spec.h"

namespace tuner::cli {

// Throws UserError where the kernel has such code and nobody asked for it: its manifest is neither built in nor in a
// folder of --kernels, and --allow-host-code is not given.
void refuse_unasked_host_code(const Context& context, const spec::KernelSpec& kernel);

}  // namespace tuner::cli
