#include <algorithm>
#include <iostream>
#include <map>

#include "cli/cache_place.h"
#include "cli/commands.h"
#include "cli/host_code_guard.h"
#include "cli/knowledge.h"
#include "cli/known_best.h"
#include "cli/next_command.h"
#include "cli/stop.h"
#include "cli/sweep_options.h"
#include "compile/host_build.h"
#include "compile/nvcc.h"
#include "compile/nvrtc.h"
#include "core/error.h"
#include "report/format.h"
#include "report/json_report.h"
#include "report/refresh_text.h"
#include "report/terminal_report.h"
#include "store/stored_entries.h"
#include "tune/refresh.h"
#include "tune/session.h"

namespace tuner::cli {
namespace {

constexpr int unconfirmed = 3;

void check_words(const Context& context, const spec::Catalog& catalog) {
  const Arguments& arguments = context.arguments;
  const bool named = arguments.has("--kernel") || arguments.has("--shape");
  if (!named && !arguments.has("--all"))
    throw UserError("nothing to refresh", "tuner refresh", "--all, or --kernel K and --shape MxN");
  if (named && arguments.has("--all"))
    throw UserError("--all and what names some exclude each other", "tuner refresh", "leave out one of them");
  for (const std::string& kernel : arguments.all("--kernel")) kernel_named(context, catalog, kernel, "--kernel");
}

// The version of what would compile a kernel; nvcc that is not here has none.
std::string compiler_of(const Context& context, const spec::KernelSpec& kernel, const GpuFacts& gpu, bool emulated) {
  if (emulated) return compile::host_compiler_version();
  if (!kernel.nvcc) return compile::choose_nvrtc(context.arguments.text("--nvrtc"), gpu.arch, gpu.cuda_driver).version;
  const compile::Nvcc nvcc = compile::find_nvcc();
  return nvcc.problem.empty() ? "nvcc " + nvcc.version : std::string();
}

tune::RefreshQuestion question_of(const Context& context, const GpuFacts& gpu, const store::Store* store) {
  const Arguments& arguments = context.arguments;
  tune::RefreshQuestion question;
  question.gpu = gpu;
  question.emulated = arguments.text("--device") == "host";
  question.compiler = [&context, gpu, emulated = question.emulated,
                       known = std::map<bool, std::string>()](const spec::KernelSpec& kernel) mutable {
    const auto [at, fresh] = known.try_emplace(kernel.nvcc);
    if (fresh) at->second = compiler_of(context, kernel, gpu, emulated);
    return at->second;
  };
  question.kernels = arguments.all("--kernel");
  for (const std::string& shape : arguments.all("--shape")) question.shapes.push_back(parse_shape(shape, "--shape"));
  question.regime = arguments.text("--regime");
  question.again = arguments.has("--again");
  question.trials = [store](const store::Entry& entry) {
    return store == nullptr ? std::vector<Trial>{} : store::all_trials(*store, entry);
  };
  return question;
}

// The command that would say what is best.
std::string sweep_of(const Context& context, const tune::StoredRow& row) {
  const ProblemResult& result = row.entry->result;
  std::string words = "tuner sweep " + problem_words(*row.kernel, result.problem);
  if (result.regime != spec::plain_regime) words += " --regime " + result.regime;
  return with_places(context, words + " --again");
}

struct Warnings : tune::Observer {
  void on_warning(const std::string& warning) override { texts.push_back(warning); }
  std::vector<std::string> texts;
};

// Rows that nothing was found out about are left.
report::RefreshReport report_of(const Context& context, const tune::RefreshPlan& plan, const GpuFacts& gpu) {
  report::RefreshReport report;
  report.gpu = gpu;
  report.emulated = context.arguments.text("--device") == "host";
  report.dry_run = context.arguments.has("--dry-run");
  report.known = plan.known;
  for (const tune::StoredRow& row : plan.rows) report.rows.push_back({&row, {}, sweep_of(context, row)});
  return report;
}

std::string name_of(const GpuFacts& gpu) { return gpu.name == "host" ? "the host device" : gpu.name; }

void note(const Context& context, const std::string& line) {
  if (!context.quiet) std::cerr << context.notes.text(line) << "\n";
}

// Throws NothingFound where nothing is known of what was named.
void note_plan(const Context& context, const tune::RefreshPlan& plan, const GpuFacts& gpu) {
  if (plan.unknown > 0)
    note(context, report::count(plan.unknown, "result is", "results are") +
                      " left out: no kernel here answers for it; --kernels DIR names the folder of a manifest");
  if (plan.known == 0 && !context.arguments.has("--all"))
    throw NothingFound("there is no such result of " + name_of(gpu), "tuner refresh",
                       with_places(context, "tuner list") + " shows what is known");
  if (plan.rows.empty())
    note(context, plan.known == 0
                      ? "nothing is known of " + name_of(gpu)
                      : "nothing to do: " + report::count(plan.known, "result is", "results are") + " current");
}

int print_plan(const Context& context, const report::RefreshReport& report) {
  if (context.json) std::cout << report::refresh_json(report);
  if (!context.json)
    for (const report::RefreshRow& one : report.rows) std::cout << report::stored_row_text(*one.row, context.style);
  return 0;
}

// Says what is not as it should be; the exit code.
int conclude(const Context& context, const report::RefreshReport& report, const std::string& database) {
  if (report.interrupted)
    throw Interrupted("interrupted; what was confirmed is kept", database, "run the same command to go on");
  int failed = 0, left = 0;
  for (const report::RefreshRow& one : report.rows) {
    left += one.found ? 0 : 1;
    failed += one.found && one.found->outcome == tune::RefreshOutcome::unconfirmed ? 1 : 0;
  }
  const auto of = [&](int n) { return std::to_string(n) + " of " + std::to_string(report.rows.size()); };
  if (failed > 0) std::cerr << context.notes.text("error: " + of(failed) + " could not be confirmed\n");
  if (left > 0)
    std::cerr << context.notes.text("error: the time was up, " + of(left) + " are left; the same command goes on\n");
  return failed + left > 0 ? unconfirmed : 0;
}

int run(const Context& context, const spec::Catalog& catalog, const tune::RefreshPlan& plan,
        tune::RefreshOptions options, report::RefreshReport report, store::Store& store) {
  options.sweep.known_of = known_of(context, catalog);
  if (context.arguments.has("--max-time"))
    options.time_budget_s = spec::parse_duration(context.arguments.text("--max-time"), "--max-time");
  compile::Cache cache(cache_folder(context));
  report::TerminalReport terminal({nullptr, &std::cerr, context.style, context.notes, context.quiet, context.verbose});
  Warnings warnings;
  report::Fan fan({&terminal, &warnings});
  options.on_row = [&](const tune::Refreshed& found) {
    report::RefreshRow& at = report.rows[static_cast<std::size_t>(found.row - plan.rows.data())];
    at.found = found;
    if (!context.json) std::cout << report::refreshed_text(found, at.sweep, context.style) << std::flush;
  };
  catch_stop_signals();
  report.interrupted = tune::refresh(plan, options, cache, store, fan).interrupted;
  report.warnings = warnings.texts;
  if (context.json) std::cout << report::refresh_json(report);
  return conclude(context, report, store.path());
}

}  // namespace

int cmd_refresh(const Context& context) {
  const spec::Catalog catalog = load_catalog(context);
  check_words(context, catalog);
  const bool dry = context.arguments.has("--dry-run");
  tune::RefreshOptions options;
  options.sweep = sweep_options(context);
  std::optional<store::Store> store;
  if (dry)
    store = open_database(context);
  else
    store.emplace(open_for_writing(context.places));
  options.sweep.overrules = overrules(context);  // after a database that cannot be used was refused
  const store::Layers layers = open_layers(context);
  const GpuFacts gpu = tune::device_of(options.sweep);
  const tune::RefreshPlan plan = tune::plan_refresh(whole_entries(context, layers), catalog, options.sweep.overrules,
                                                    question_of(context, gpu, store ? &*store : nullptr));
  for (const tune::StoredRow& row : plan.rows) refuse_unasked_host_code(context, *row.kernel);
  note_plan(context, plan, gpu);
  report::RefreshReport report = report_of(context, plan, gpu);
  if (dry || plan.rows.empty()) return print_plan(context, report);
  return run(context, catalog, plan, std::move(options), std::move(report), *store);
}

}  // namespace tuner::cli
