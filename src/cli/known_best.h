// What the layers of results answer for kernels that are baselines of others.
#pragma once

#include "cli/commands.h"
#include "spec/catalog.h"
#include "tune/known.h"

namespace tuner::cli {

// Both must outlive what is returned. It looks anew each time: a sweep may have tuned the kernel meanwhile.
tune::KnownOf known_of(const Context& context, const spec::Catalog& catalog);

}  // namespace tuner::cli
