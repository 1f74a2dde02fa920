#include "cli/print_dry_run.h"

#include <iostream>

#include "cli/knowledge.h"
#include "cli/sweep_options.h"
#include "compile/cache.h"
#include "compile/host_build.h"
#include "core/error.h"
#include "report/dry_run_text.h"
#include "store/gpu_choice.h"
#include "tune/finished.h"

namespace tuner::cli {
namespace {

// The one the file names, with what is known of it; else the one that is here.
GpuFacts planned_gpu(const Context& context, const spec::SweepPlan& plan) {
  const bool named = !plan.gpu_name.empty() || plan.arch != 0;
  if (named && !context.arguments.has("--any-gpu")) {
    const store::Layers layers = open_layers(context);
    for (const store::Entry& entry : whole_entries(context, layers))
      if (!entry.emulated && store::is_called(entry.gpu, plan.gpu_name) &&
          (plan.arch == 0 || plan.arch == entry.gpu.arch))
        return entry.gpu;
    if (plan.arch != 0) return gpu_of_arch(plan.arch);
  }
  if (auto here = gpu_here(context)) return *here;
  throw MachineError("no GPU is here, and the sweep names none that is known", plan.path,
                     "add `gpu: {arch: sm_90}` to the file, or use --device host");
}

std::function<bool(const compile::Source&)> cache_question(const Context& context, report::DryRunFigures& figures,
                                                           bool with_nvcc) {
  const std::string& folder = context.places.cache;
  compile::CompileOptions options;
  options.arch = arch_text(figures.gpu.arch);
  try {
    if (figures.emulated) {
      figures.compiler = compile::host_compiler_version();
    } else {
      options.nvrtc =
          compile::choose_nvrtc(context.arguments.text("--nvrtc"), figures.gpu.arch, figures.gpu.cuda_driver);
      if (with_nvcc) options.nvcc = compile::choose_nvcc();
      figures.compiler = options.nvrtc.version;
    }
  } catch (const MachineError&) {
    return [](const compile::Source&) { return false; };
  }
  return [folder, options, emulated = figures.emulated, version = figures.compiler](const compile::Source& source) {
    const std::string key = emulated ? compile::host_cache_key(source, version) : compile::cache_key(source, options);
    return compile::Cache::holds(folder, key);
  };
}

}  // namespace

int print_dry_run(const Context& context, const spec::SweepPlan& plan) {
  report::DryRunFigures figures;
  figures.emulated = context.arguments.text("--device") == "host";
  if (figures.emulated) {
    const auto host = gpu_here(context);
    if (!host) throw MachineError("the host device does not start", "--device host", "run tuner doctor");
    figures.gpu = *host;
  } else {
    figures.gpu = planned_gpu(context, plan);
  }
  tune::DryRunRequest request;
  request.plan = &plan;
  request.gpu = figures.gpu;
  request.emulated = figures.emulated;
  request.jobs = static_cast<int>(context.arguments.integer("--jobs", 1, 4096, 0));
  request.overrules = overrules(context);
  request.cached = cache_question(context, figures, tune::compilers_of(plan.problems).nvcc);
  std::optional<store::Store> store;
  if (!context.arguments.has("--again")) store = open_database(context);
  request.finished = [&](const spec::PlannedProblem& planned) {
    const auto searching = tune::searching_of(plan, planned, figures.gpu);
    return store && tune::is_finished(planned, plan.regime, figures.gpu, figures.emulated, request.overrules, *store,
                                      searching ? &*searching : nullptr);
  };
  figures.dry = tune::dry_run(request);
  std::cout << (context.json ? report::dry_run_json(figures) : report::dry_run_text(figures, context.style));
  return 0;
}

}  // namespace tuner::cli
