// Commands that are printed for whoever goes on: with what the command at hand was given, so that they find the same.
#pragma once

#include <string>

#include "cli/commands.h"
#include "spec/kernel_spec.h"

namespace tuner::cli {

// Of --device, --db and --kernels those that were given and that `command`, a whole command line, does not have yet.
std::string with_places(const Context& context, const std::string& command);

// Of --set, --regime and --gpu as well, where the command that `command` names has them.
std::string with_question(const Context& context, const std::string& command);

// "--kernel K --shape MxN", with --set for each fact that is not the manifest's default.
std::string problem_words(const spec::KernelSpec& kernel, const Problem& problem);
// Without a manifest: the facts are those of with_question.
std::string problem_words(const Problem& problem);

}  // namespace tuner::cli
