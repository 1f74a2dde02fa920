// What `sweep` and `run` share: how a device is used.
#pragma once

#include "cli/commands.h"
#include "tune/sweep.h"

namespace tuner::cli {

// Throws UserError where a file of pins and forbids cannot be understood, MachineError where one cannot be read:
// nothing is run, pinned or exported then.
void check_overrules(const Context& context);

// Pins and forbids of the user's database and of every results folder. Throws as check_overrules.
tune::Overrules overrules(const Context& context);
tune::SweepOptions sweep_options(const Context& context);

}  // namespace tuner::cli
