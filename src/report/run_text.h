// What `run` launched. No time is shown: one cold launch says little.
#pragma once

#include <string>

#include "core/problem.h"
#include "report/style.h"
#include "tune/run_once.h"

namespace tuner::report {

// `origin`: where the configuration comes from.
std::string run_text(const tune::Ran& ran, const Problem& problem, const std::string& origin, const Style& style);
std::string run_json(const tune::Ran& ran, const Problem& problem, const std::string& origin);

}  // namespace tuner::report
