// What `sweep` and `run` share: how a device is used.
#pragma once

#include "cli/commands.h"
#include "tune/sweep.h"

namespace tuner::cli {

// Pins and forbids of the user's database and of every results folder.
tune::Overrules overrules(const Context& context);
tune::SweepOptions sweep_options(const Context& context);

}  // namespace tuner::cli
