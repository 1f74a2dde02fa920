#include <algorithm>
#include <iostream>

#include "cli/cache_place.h"
#include "cli/commands.h"
#include "cli/host_code_guard.h"
#include "cli/knowledge.h"
#include "cli/known_best.h"
#include "cli/next_command.h"
#include "cli/print_dry_run.h"
#include "cli/stop.h"
#include "cli/sweep_options.h"
#include "cli/sweep_places.h"
#include "core/error.h"
#include "core/shell.h"
#include "report/json_report.h"
#include "report/terminal_report.h"
#include "search/choice.h"
#include "tune/sweep.h"

namespace tuner::cli {
namespace {

spec::SweepPlan read_plan(const Context& context, const spec::Catalog& catalog) {
  const Arguments& arguments = context.arguments;
  if (!arguments.has("FILE")) {
    if (!arguments.has("--kernel") && !arguments.has("--shape"))
      throw UserError("nothing to sweep", "tuner sweep",
                      "tuner sweep configs/quickstart.yaml, or --kernel K --shape MxN");
    arguments.required("--kernel");
    arguments.required("--shape");
    for (const std::string& kernel : arguments.all("--kernel")) kernel_named(context, catalog, kernel, "--kernel");
    spec::SweepPlan plan = spec::plan_of(catalog, arguments.all("--kernel"), arguments.all("--shape"),
                                         parse_assignments(arguments.all("--set"), "--set"));
    spec::set_regime(plan, arguments.text("--regime", plan.regime), "--regime");
    return plan;
  }
  for (const char* flag : {"--kernel", "--shape", "--set", "--regime"})
    if (arguments.has(flag))
      throw UserError(std::string(flag) + " and a sweep file exclude each other", "tuner sweep",
                      "write it into the file");
  return spec::read_sweep(find_config(arguments.text("FILE"), context.places), catalog);
}

// What flags say of the search goes over what a file says.
spec::SweepPlan with_search(spec::SweepPlan plan, const Arguments& arguments) {
  if (arguments.has("--search")) {
    plan.search = arguments.text("--search");
    plan.search_where = "--search";
  }
  if (!plan.search.empty()) search::choice_of(plan.search, plan.search_where);
  plan.trials_budget = arguments.integer("--trials", 1, 1'000'000'000, plan.trials_budget);
  plan.seed = static_cast<std::uint64_t>(arguments.integer("--seed", 0, INT64_MAX, 1));
  if (arguments.has("--max-time"))
    plan.time_budget_s = spec::parse_duration(arguments.text("--max-time"), "--max-time");
  return plan;
}

// On the host device a valid configuration is a verified one, on a GPU a winner.
struct Found : tune::Observer {
  void on_problem_done(const tune::ProblemDone& done) override {
    ++problems;
    with_valid +=
        done.result.winner != 0 || std::any_of(done.trials.begin(), done.trials.end(),
                                               [](const Trial& trial) { return trial.status == Status::verified; });
  }
  int problems = 0;
  int with_valid = 0;
};

std::function<std::string(const Problem&, bool)> next_of(const Context& context, const spec::Catalog& catalog,
                                                         const std::string& regime) {
  return [&, regime](const Problem& problem, bool emulated) {
    std::string words = problem_words(catalog.at(problem.kernel, "--kernel"), problem);
    if (regime != spec::plain_regime) words += " --regime " + regime;
    if (emulated)
      return with_question(context, "tuner explain " + words) + "   |   tuner best never answers with trials of the " +
             "host device, which have no times: sweep on a GPU";
    return with_question(context, "tuner best " + words) + "   |   " + with_places(context, "tuner list");
  };
}

std::string database_flag(const Context& context) {
  return context.arguments.has("--db") ? " --db " + shell_word(context.arguments.text("--db")) : std::string();
}

}  // namespace

int cmd_sweep(const Context& context) {
  tune::SweepOptions options = sweep_options(context);
  const spec::Catalog catalog = load_catalog(context);
  const spec::SweepPlan plan = with_search(read_plan(context, catalog), context.arguments);
  if (context.arguments.has("--dry-run")) return print_dry_run(context, plan);
  for (const spec::PlannedProblem& planned : plan.problems) refuse_unasked_host_code(context, *planned.kernel);
  store::Store store = open_for_writing(context.places);
  options.overrules = overrules(context);  // after a database that cannot be used was refused
  options.known_of = known_of(context, catalog);
  compile::Cache cache(cache_folder(context));
  const std::vector<tune::Place> places = sweep_places(context);
  options.device = places.front().device;
  options.launcher = places.front().launcher;

  report::TerminalReport terminal({context.json ? nullptr : &std::cout, &std::cerr, context.style, context.notes,
                                   context.quiet, context.verbose, next_of(context, catalog, plan.regime),
                                   database_flag(context)});
  report::JsonReport json(std::cout);
  Found found;
  std::vector<tune::Observer*> observers{&terminal, &found};
  if (context.json) observers.push_back(&json);
  report::Fan fan(observers);

  catch_stop_signals();
  const tune::SweepDone done = places.size() == 1 ? tune::sweep(plan, catalog, options, cache, store, fan)
                                                  : tune::sweep_on_several(places, plan, options, cache, store, fan);
  if (done.interrupted)
    throw Interrupted(
        done.trials > 0 ? "interrupted; what was measured is kept" : "interrupted; what was compiled is kept",
        store.path(), "run the same command to go on");
  if (found.problems > 0 && found.with_valid == 0)
    throw NothingFound("no configuration is valid", store.path(),
                       "the reasons stand above; 'tuner explain TRIAL' has the details");
  return 0;
}

}  // namespace tuner::cli
