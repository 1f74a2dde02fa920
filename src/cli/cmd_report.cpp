#include <algorithm>
#include <iostream>

#include "cli/cache_place.h"
#include "cli/commands.h"
#include "cli/knowledge.h"
#include "cli/stop.h"
#include "cli/sweep_options.h"
#include "cli/write_file.h"
#include "core/error.h"
#include "report/hierarchy.h"
#include "report/roofline.h"
#include "report/terminal_report.h"
#include "store/gpu_choice.h"
#include "tune/ceiling_plan.h"
#include "tune/sweep.h"

namespace tuner::cli {
namespace {

bool on_host(const Context& context) { return context.arguments.text("--device") == "host"; }

// The GPU that is here, where it is the one that was named or none was; empty: every GPU known that is called so.
std::optional<GpuFacts> asked_gpu(const Context& context) {
  auto here = gpu_here(context);
  if (here && !store::is_called(*here, context.arguments.text("--gpu"))) return std::nullopt;
  return here;
}

bool is_asked(const GpuFacts& gpu, const Context& context, const std::optional<GpuFacts>& here) {
  if (here && !store::same_model(gpu, *here)) return false;
  return store::is_called(gpu, context.arguments.text("--gpu"));
}

[[noreturn]] void nothing_known(const Context& context, const std::optional<GpuFacts>& here, const std::string& hint) {
  const std::string asked = here ? here->name : context.arguments.text("--gpu");
  throw NothingFound("nothing was measured" + (asked.empty() ? "" : " on '" + asked + "'"), "tuner report", hint);
}

// Right on the host device, or timed on a GPU.
struct Judged : tune::Observer {
  void on_problem_done(const tune::ProblemDone& done) override {
    const std::string& kernel = done.result.problem.kernel;
    const bool verified = std::any_of(done.trials.begin(), done.trials.end(),
                                      [](const Trial& trial) { return trial.status == Status::verified; });
    if (done.result.winner != 0 || verified) return;
    failed += (failed.empty() ? "" : ", ") + kernel;
    for (const Trial& trial : done.trials)
      if (!trial.detail.empty()) reasons += "\n  " + kernel + " " + trial.config.label() + ": " + trial.detail;
  }
  std::string failed, reasons;
};

// Runs what is not finished yet, or all with --again.
void measure(const Context& context, const spec::Catalog& probes, const spec::SweepPlan& plan) {
  store::Store store = open_for_writing(context.places);
  tune::SweepOptions options = sweep_options(context);
  options.any_gpu = true;
  options.again = options.again || on_host(context);
  compile::Cache cache(cache_folder(context));
  report::TerminalReport terminal(
      {nullptr, &std::cerr, context.style, context.notes, context.quiet, context.verbose, {}});
  Judged judged;
  struct Both : tune::Observer {
    Both(report::TerminalReport& a, Judged& b) : terminal(a), judged(b) {}
    void on_wait(const tune::WaitEvent& event) override { terminal.on_wait(event); }
    void on_problem(const tune::ProblemEvent& event) override { terminal.on_problem(event); }
    void on_progress(const tune::ProgressEvent& event) override { terminal.on_progress(event); }
    void on_warning(const std::string& warning) override { terminal.on_warning(warning); }
    void on_problem_done(const tune::ProblemDone& done) override {
      terminal.on_problem_done(done);
      judged.on_problem_done(done);
    }
    report::TerminalReport& terminal;
    Judged& judged;
  } both(terminal, judged);
  catch_stop_signals();
  const tune::SweepDone done = tune::sweep(plan, probes, options, cache, store, both);
  if (done.interrupted)
    throw Interrupted("interrupted; what was measured is kept", store.path(), "run the same command to go on");
  if (judged.failed.empty()) return;
  const std::string what = "these probes are not valid here: " + judged.failed + judged.reasons;
  if (on_host(context)) throw NothingFound(what, store.path());
  std::cerr << context.notes.text("warning: " + what) << "\n";
}

bool all_known(const std::vector<store::Entry>& entries, const spec::SweepPlan& plan, const GpuFacts& gpu) {
  return std::all_of(plan.problems.begin(), plan.problems.end(), [&](const spec::PlannedProblem& planned) {
    return std::any_of(entries.begin(), entries.end(), [&](const store::Entry& entry) {
      return !entry.emulated && entry.result.problem.kernel == planned.kernel->name &&
             store::same_model(entry.gpu, gpu);
    });
  });
}

int show_hierarchy(const Context& context) {
  const spec::Catalog probes = spec::Catalog::load({context.places.templates() + "/probes"});
  const std::optional<GpuFacts> here = asked_gpu(context);
  if (on_host(context)) {
    if (!here) throw MachineError("the host device does not start", "--device host", "run tuner doctor");
    const spec::SweepPlan plan = tune::ceiling_plan(probes, *here, true);
    measure(context, probes, plan);
    std::cout << "all " << plan.problems.size() << " probes that the host device can run are right; it has no times\n";
    return 0;
  }
  if (!here && context.arguments.has("--again"))
    throw MachineError("no such GPU is here to measure", "--again", "run tuner doctor");
  if (here) {
    const spec::SweepPlan plan = tune::ceiling_plan(probes, *here, false);
    const bool known = !context.arguments.has("--again") && all_known(open_layers(context).entries(), plan, *here);
    if (!known) measure(context, probes, plan);
  }
  const store::Layers layers = open_layers(context);
  std::vector<report::Hierarchy> all = report::hierarchies_of(whole_entries(context, layers));
  all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& h) { return !is_asked(h.gpu, context, here); }),
            all.end());
  if (all.empty()) nothing_known(context, here, "tuner report --hierarchy where such a GPU is");
  std::cout << (context.json ? report::hierarchies_json(all) : report::hierarchies_text(all, context.style));
  return 0;
}

int show_roofline(const Context& context) {
  const Arguments& arguments = context.arguments;
  const spec::Catalog catalog = load_catalog(context);
  if (arguments.has("--kernel")) kernel_named(context, catalog, arguments.text("--kernel"), "--kernel");
  std::vector<std::int64_t> dims;
  if (arguments.has("--shape")) dims = parse_shape(arguments.text("--shape"), "--shape");
  const std::optional<GpuFacts> here = asked_gpu(context);
  const store::Layers layers = open_layers(context);
  const auto wanted = [&](const store::Entry& entry) {
    const Problem& problem = entry.result.problem;
    return is_asked(entry.gpu, context, here) && (dims.empty() || problem.dims == dims) &&
           (!arguments.has("--kernel") || problem.kernel == arguments.text("--kernel"));
  };
  const auto arithmetic_of = [&](const std::string& kernel) {
    const spec::KernelSpec* spec = catalog.find(kernel);
    return spec == nullptr ? std::string("fma_f32") : spec->arithmetic;
  };
  const std::vector<report::Roofline> all = report::rooflines_of(whole_entries(context, layers), wanted, arithmetic_of);
  if (all.empty()) nothing_known(context, here, "tuner list shows what is known");
  if (arguments.has("--output")) {
    if (all.size() > 1)
      throw UserError("a picture is of one GPU, these results are of " + std::to_string(all.size()), "--output",
                      "name one with --gpu");
    write_file(arguments.text("--output"), report::roofline_svg(all.front()));
    return 0;
  }
  std::cout << (context.json ? report::rooflines_json(all) : report::rooflines_text(all, context.style));
  return 0;
}

// Flags of the other report are a mistake, not a wish.
void refuse_flags(const Context& context, std::initializer_list<const char*> flags, const std::string& report) {
  for (const char* flag : flags)
    if (context.arguments.has(flag)) throw UserError(std::string(flag) + " is no flag of " + report, "tuner report");
}

}  // namespace

int cmd_report(const Context& context) {
  const bool hierarchy = context.arguments.has("--hierarchy"), roofline = context.arguments.has("--roofline");
  if (hierarchy == roofline)
    throw UserError(hierarchy ? "one report at a time" : "which report?", "tuner report", "--hierarchy or --roofline");
  if (hierarchy) {
    refuse_flags(context, {"--kernel", "--shape", "--output"}, "--hierarchy");
    return show_hierarchy(context);
  }
  refuse_flags(context, {"--again", "--wait", "--allow-mps", "--jobs", "--nvrtc"}, "--roofline");
  return show_roofline(context);
}

}  // namespace tuner::cli
