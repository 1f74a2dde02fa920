#include <algorithm>
#include <charconv>
#include <iostream>

#include "cli/best_configs.h"
#include "cli/cache_place.h"
#include "cli/chosen_config.h"
#include "cli/commands.h"
#include "cli/host_code_guard.h"
#include "cli/knowledge.h"
#include "cli/overruling.h"
#include "cli/stop.h"
#include "cli/sweep_options.h"
#include "core/error.h"
#include "report/run_text.h"
#include "report/terminal_report.h"
#include "spec/resolve.h"
#include "store/ladder.h"

namespace tuner::cli {
namespace {

class Choice {
 public:
  Choice(const Context& context, const spec::Catalog& catalog, spec::PlannedProblem planned)
      : context_(context), catalog_(catalog), planned_(std::move(planned)) {}

  // Where the configuration comes from, for who reads the report; set by config().
  const std::string& origin() const { return origin_; }

  Config config(const GpuFacts& gpu) {
    const std::vector<std::string>& all = context_.arguments.all("KERNEL");
    const std::vector<store::Forbid> forbids = overrules(context_).forbids;
    const store::KernelKnowledge knowledge = knowledge_of(catalog_, planned_.kernel->regime);
    const auto allowed = [&](const Config& config) {
      return !knowledge.why_illegal(planned_.problem, config, gpu) &&
             !store::is_forbidden(forbids, planned_.kernel->name, gpu, config);
    };
    const auto chosen =
        chosen_config(context_, *planned_.kernel, planned_.problem, gpu, {all.begin() + 1, all.end()}, allowed);
    const ChosenConfig one = chosen ? *chosen : best_configs(context_, catalog_, planned_.problem, gpu).front();
    origin_ = one.origin;
    refuse_illegal(context_, knowledge, planned_.problem, one.config, gpu);
    if (chosen) warn_of_forbid(context_, forbids, planned_.kernel->name, gpu, one.config);
    return one.config;
  }

 private:
  const Context& context_;
  const spec::Catalog& catalog_;
  spec::PlannedProblem planned_;
  std::string origin_;
};

std::string kernel_word(const Arguments& arguments) {
  arguments.required("KERNEL");
  return arguments.all("KERNEL").front();
}

}  // namespace

int cmd_run(const Context& context) {
  const Arguments& arguments = context.arguments;
  const spec::Catalog catalog = load_catalog(context);
  const spec::KernelSpec& kernel = spec::in_regime(kernel_named(context, catalog, kernel_word(arguments), "tuner run"),
                                                   arguments.text("--regime", spec::plain_regime), "--regime");
  refuse_unasked_host_code(context, kernel);
  spec::PlannedProblem planned{&kernel, {}, {}};
  planned.problem = spec::make_problem(kernel, parse_shape(arguments.required("--shape"), "--shape"),
                                       parse_assignments(arguments.all("--set"), "--set"),
                                       arguments.has("--set") ? "--set" : "--shape");
  tune::SweepOptions options = sweep_options(context);
  options.shared = true;  // nothing is measured
  check_overrules(context);
  compile::Cache cache(cache_folder(context));
  report::TerminalReport notes({nullptr, &std::cerr, context.style, context.notes, context.quiet, context.verbose});
  catch_stop_signals();
  Choice choice(context, catalog, planned);
  const tune::Ran ran = tune::run_once(
      planned, [&](const GpuFacts& gpu) { return choice.config(gpu); }, options, cache, notes);
  if (stop_requested()) throw Interrupted();
  std::cout << (context.json ? report::run_json(ran, planned.problem, choice.origin())
                             : report::run_text(ran, planned.problem, choice.origin(), context.style));
  if (ran.verdict.ok()) return 0;
  throw NothingFound("it did not run: " + std::string(title(ran.verdict.reason)) + ": " + ran.verdict.detail,
                     ran.config.label(), std::string(hint(ran.verdict.reason)));
}

}  // namespace tuner::cli
