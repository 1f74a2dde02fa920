// What pin, unpin, forbid and explain read from the command line alike.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "spec/catalog.h"
#include "store/lookup.h"
#include "store/overrules_file.h"

namespace tuner::cli {

// Throws UserError for a parameter that the kernel does not have, and for a value that is none of its values.
void check_parameters(const spec::KernelSpec& kernel, const Facts& wanted, const std::string& where);

// The problem of --shape and --set.
Problem problem_of(const Context& context, const spec::KernelSpec& kernel);

// The text of --why; throws UserError without one.
std::string required_why(const Context& context);

// " --to FILE", for what edits a rule that stands there; empty for the database.
std::string flag_of_file(const std::string& layer, const std::string& source);

// The command that takes this forbid back.
std::string command_that_allows(const store::Forbid& forbid);

// Whoever names a configuration gets it, and hears on stderr that it is forbidden.
void warn_of_forbid(const Context& context, const std::vector<store::Forbid>& forbids, const std::string& kernel,
                    const GpuFacts& gpu, const Config& config);

// Throws NothingFound: nothing can answer at this shape, because of these forbids where there are any, else for these
// `reasons` (why_none).
[[noreturn]] void no_answer(const std::vector<std::int64_t>& dims, const std::vector<const store::Forbid*>& in_the_way,
                            const std::vector<std::string>& reasons = {});

// The text of --gpu, a case-blind part of a GPU's name; empty for every GPU. Throws UserError, with what is known,
// unless it fits the GPU `here`, one of some row, or is the full name of one to come as the driver gives it: "NVIDIA
// ...".
std::string gpu_part(const Context& context, const store::Layers& layers, const std::optional<GpuFacts>& here);

// Where pins and forbids go: the file of --to, whose folder is made if it is a missing .tuner/, else the database.
// `change` edits them, perhaps a second time from the start; nothing is written when it throws.
void edit_overrules(const Context& context, const std::function<void(store::Overrules&)>& change);

// The file of --to, else the database.
std::string overrules_path(const Context& context);

// The same, to put something in. Throws UserError for a file that no results folder would read, by its name.
std::string overrules_path_to_write(const Context& context);

// Where no results folder in use holds the file of --to: that it is not in force, and what would make it so.
std::string why_not_in_force(const Context& context);

}  // namespace tuner::cli
