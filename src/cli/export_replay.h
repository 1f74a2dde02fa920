// `tuner export --format replay`: every trial of one problem, for `tuner replay`.
#pragma once

#include "cli/commands.h"

namespace tuner::cli {

int export_replay(const Context& context);

}  // namespace tuner::cli
