// The devices of a sweep, from --device and --launcher.
#pragma once

#include <vector>

#include "cli/commands.h"
#include "tune/several.h"

namespace tuner::cli {

// One place or more. Of several devices and several launchers there are as many of either, and they go together in
// order; of one of them, it goes with each of the others. `--device all`: every GPU that the driver shows, asked of a
// child process. Throws UserError for what cannot be combined, MachineError where GPUs cannot be listed.
std::vector<tune::Place> sweep_places(const Context& context);

}  // namespace tuner::cli
