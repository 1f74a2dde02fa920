// `sweep --dry-run`.
#pragma once

#include "cli/commands.h"
#include "spec/sweep_plan.h"

namespace tuner::cli {

int print_dry_run(const Context& context, const spec::SweepPlan& plan);

}  // namespace tuner::cli
