#include "cli/export_replay.h"

#include <algorithm>
#include <iostream>

#include "cli/knowledge.h"
#include "cli/next_command.h"
#include "cli/write_file.h"
#include "core/error.h"
#include "report/format.h"
#include "search/recorded_sweep.h"
#include "spec/resolve.h"
#include "store/gpu_choice.h"

namespace tuner::cli {
namespace {

// The newest run on the GPU that is meant.
std::optional<store::RunRecord> run_on(const store::Store& store, const Problem& problem, const std::string& regime,
                                       const std::string& gpu) {
  std::optional<store::RunRecord> newest;
  for (const store::RunRecord& run : store.runs()) {
    if (run.facts.emulated || !store::is_called(run.facts.gpu, gpu)) continue;
    const std::vector<Trial> trials = store.trials(run.facts.gpu, problem, regime);
    if (trials.empty() || store.run_of_trial(trials.front().id)->id != run.id) continue;
    if (newest && !store::same_model(newest->facts.gpu, run.facts.gpu))
      throw UserError(
          "there are such trials of several GPUs", "tuner export",
          "--gpu names one of: " + store::described(newest->facts.gpu) + ", " + store::described(run.facts.gpu));
    newest = run;
  }
  return newest;
}

}  // namespace

int export_replay(const Context& context) {
  const Arguments& arguments = context.arguments;
  if (arguments.has("--check")) throw UserError("a recording is not checked: it is never out of date", "--check");
  const spec::Catalog catalog = load_catalog(context);
  const std::string regime = arguments.text("--regime", spec::plain_regime);
  const spec::KernelSpec& kernel =
      spec::in_regime(kernel_named(context, catalog, arguments.required("--kernel"), "--kernel"), regime, "--regime");
  const Problem problem = spec::make_problem(kernel, parse_shape(arguments.required("--shape"), "--shape"),
                                             parse_assignments(arguments.all("--set"), "--set"), "--shape");
  std::string sweep = "tuner sweep " + problem_words(kernel, problem);
  if (regime != spec::plain_regime) sweep += " --regime " + regime;
  const auto store = open_database(context);
  const auto run = store ? run_on(*store, problem, regime, arguments.text("--gpu")) : std::nullopt;
  if (!run)
    throw NothingFound("no sweep of " + kernel.name + " " + shape_text(problem.dims) + " on a GPU is in the database",
                       context.places.database, with_places(context, sweep));
  const auto result = store->result(run->facts.gpu, problem, regime);
  if (!result || !result->search.empty())
    throw UserError("that space was not tried in full, as a replay needs it", "tuner export",
                    with_places(context, sweep + " --search exhaustive --again"));
  search::RecordedSweep recorded{problem,
                                 regime,
                                 result->objective,
                                 run->facts.gpu,
                                 run->facts.nvrtc,
                                 run->started_at,
                                 store->trials(run->facts.gpu, problem, regime)};
  const std::string output = arguments.text("--output");
  if (output.empty() || output == "-") {
    std::cout << search::recorded_text(recorded);
    return 0;
  }
  write_file(output, search::recorded_text(recorded));
  if (!context.quiet)
    std::cerr << context.notes.text(
                     "wrote " + report::count(static_cast<std::int64_t>(recorded.trials.size()), "trial", "trials") +
                     " to " + output)
              << "\n";
  return 0;
}

}  // namespace tuner::cli
