// The command line from words to an exit code.
#pragma once

#include <string>

#include "core/error.h"

namespace tuner::cli {

// Runs one command and returns its exit code. Throws what the command throws.
int run(int argc, const char* const* argv);

// "error: what / at where / hint: hint" on stderr, and the exit code that belongs to it.
int report_failure(const std::exception& failure);

}  // namespace tuner::cli
