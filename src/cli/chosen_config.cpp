#include "cli/chosen_config.h"

#include "cli/knowledge.h"
#include "cli/overruling.h"
#include "core/error.h"
#include "spec/resolve.h"

namespace tuner::cli {
namespace {

std::string what_of(const Problem& problem) { return problem.kernel + " " + shape_text(problem.dims); }

ChosenConfig of_trial(const Context& context, const spec::KernelSpec& kernel) {
  const std::int64_t id = context.arguments.integer("--trial", 1, INT64_MAX, 0);
  const std::optional<store::Store> store = open_database(context);
  const std::optional<Trial> trial = store ? store->trial(id) : std::nullopt;
  if (!trial)
    throw NothingFound("there is no trial " + std::to_string(id), context.places.database,
                       "tuner explain --kernel " + kernel.name + " --shape MxN lists them");
  if (trial->problem.kernel != kernel.name)
    throw UserError("trial " + std::to_string(id) + " is of " + trial->problem.kernel + ", not of " + kernel.name,
                    "--trial", "name a trial of " + kernel.name);
  return {trial->config, id};
}

ChosenConfig of_words(const spec::KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu, const Facts& wanted,
                      const std::string& where) {
  check_parameters(kernel, wanted, where);
  space::Partial partial;
  for (const auto& [name, value] : wanted) partial.push_back({name, {value}});
  const space::Scope scope = spec::base_scope(kernel, problem, gpu);
  if (auto config = kernel.space.complete(scope, partial)) return {*config};
  std::string excluded;
  for (const auto& [constraint, n] : kernel.space.exclusions(scope, partial))
    excluded += (excluded.empty() ? std::string() : ", ") + constraint;
  throw UserError("no configuration like this is legal at " + what_of(problem), kernel.path,
                  excluded.empty() ? "a parameter that is named is not active there" : "excluded by: " + excluded);
}

}  // namespace

std::optional<ChosenConfig> chosen_config(const Context& context, const spec::KernelSpec& kernel,
                                          const Problem& problem, const GpuFacts& gpu,
                                          const std::vector<std::string>& words) {
  const std::string where = "tuner " + context.arguments.command->name;
  const bool numbered = context.arguments.has("--trial");
  if (numbered && !words.empty())
    throw UserError("--trial and PARAM=VALUE exclude each other", where,
                    where + " " + context.arguments.command->usage);
  if (numbered) return of_trial(context, kernel);
  if (words.empty()) return std::nullopt;
  return of_words(kernel, problem, gpu, parse_assignments(words, where), where);
}

void refuse_illegal(const store::KernelKnowledge& kernels, const Problem& problem, const Config& config,
                    const GpuFacts& gpu) {
  if (const auto why = kernels.why_illegal(problem, config, gpu))
    throw UserError("the configuration is illegal: " + config.label() + " at " + what_of(problem), *why,
                    "tuner explain --kernel " + problem.kernel + " --shape " + shape_text(problem.dims) +
                        " shows legal ones that were tried");
}

}  // namespace tuner::cli
