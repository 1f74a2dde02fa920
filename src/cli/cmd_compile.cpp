#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>

#include "cli/cache_place.h"
#include "cli/commands.h"
#include "cli/knowledge.h"
#include "cli/stop.h"
#include "compile/compiler.h"
#include "compile/estimate.h"
#include "core/error.h"
#include "report/compile_text.h"
#include "report/format.h"
#include "report/progress.h"
#include "spec/resolve.h"
#include "spec/sweep_plan.h"

namespace tuner::cli {
namespace {

// What is compiled once: a configuration of a kernel, with the first problem for which it is legal.
struct Job {
  std::size_t kernel = 0;
  const spec::KernelSpec* spec = nullptr;
  Problem problem;
  Config config;
};

struct Work {
  report::CompileSummary summary;
  std::vector<Job> jobs;
  std::vector<compile::Source> sources;
};

std::vector<Config> configs_of(const spec::PlannedProblem& planned, const GpuFacts& gpu, const Arguments& arguments) {
  const space::Scope scope = spec::base_scope(*planned.kernel, planned.problem, gpu);
  if (spec::why_not_on(*planned.kernel, planned.problem, gpu)) return {};
  if (!arguments.has("--limit")) return planned.kernel->space.all(scope, planned.only);
  const auto limit = static_cast<std::size_t>(arguments.integer("--limit", 1, 1000000, 1));
  const auto seed = static_cast<std::uint64_t>(arguments.integer("--seed", 0, INT64_MAX, 1));
  return planned.kernel->space.covering(scope, limit, seed);
}

report::CompiledKernel& kernel_row(report::CompileSummary& summary, const std::string& name) {
  for (report::CompiledKernel& kernel : summary.kernels)
    if (kernel.kernel == name) return kernel;
  summary.kernels.push_back({name, 0, {}});
  return summary.kernels.back();
}

// The source depends on configuration and facts, not on the shape: shapes of one kernel share their compiles.
Work collect(const spec::SweepPlan& plan, const GpuFacts& gpu, const Arguments& arguments) {
  Work work;
  std::set<std::string> seen;
  const auto limit = static_cast<std::size_t>(arguments.integer("--limit", 1, 1000000, INT32_MAX));
  for (const spec::PlannedProblem& planned : plan.problems) {
    report::CompiledKernel& row_of_kernel = kernel_row(work.summary, planned.kernel->name);
    const auto index = static_cast<std::size_t>(&row_of_kernel - work.summary.kernels.data());
    ++row_of_kernel.problems;
    for (const Config& config : configs_of(planned, gpu, arguments)) {
      if (row_of_kernel.configs.size() >= limit) break;
      compile::Source source = compile::render(*planned.kernel, config, planned.problem, gpu);
      if (!seen.insert(planned.kernel->name + source.hash).second) continue;
      report::CompiledConfig row;
      row.config = config;
      row.problem = planned.problem;
      row_of_kernel.configs.push_back(row);
      work.jobs.push_back({index, planned.kernel, planned.problem, config});
      work.sources.push_back(std::move(source));
    }
  }
  return work;
}

// That of the manifest's `entry`.
const Step* main_launch(const spec::KernelSpec& kernel, const Execution& execution) {
  for (const Step& step : execution.steps)
    if (step.kind == Step::Kind::launch && spec::function_of(step.entry) == kernel.entry) return &step;
  return nullptr;
}

void judge(report::CompiledConfig& row, const Job& job, const Artifact& artifact, const GpuFacts& gpu) {
  row.reason = artifact.reason;
  row.detail = artifact.log;
  row.spill_bytes = artifact.spill_bytes;
  if (!artifact.ok()) return;
  const Execution execution = spec::resolve(*job.spec, job.problem, job.config, gpu);
  const Step* main = main_launch(*job.spec, execution);
  if (const auto* kernel = main == nullptr ? nullptr : artifact.find(main->entry)) row.attributes = *kernel;
  if (const std::optional<Verdict> verdict = compile::cannot_run(artifact, execution, gpu)) {
    row.reason = verdict->reason;
    row.detail = verdict->detail;
    return;
  }
  if (main != nullptr) row.occupancy = compile::occupancy(row.attributes, *main, gpu);
}

// Same code and same launch as a configuration above it.
void mark_duplicates(Work& work, const std::vector<std::string>& hashes,
                     const std::vector<report::CompiledConfig*>& rows, const GpuFacts& gpu) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i]->reason != Reason::none || hashes[i].empty()) continue;
    const Job& job = work.jobs[i];
    const std::string launch = to_json(spec::resolve(*job.spec, job.problem, job.config, gpu));
    rows[i]->duplicate = !seen.insert(std::to_string(job.kernel) + hashes[i] + launch).second;
  }
}

void compile_work(Work& work, const Context& context, const GpuFacts& gpu, compile::Cache& cache) {
  std::vector<report::CompiledConfig*> rows;
  std::vector<std::size_t> next(work.summary.kernels.size(), 0);
  for (const Job& job : work.jobs) rows.push_back(&work.summary.kernels[job.kernel].configs[next[job.kernel]++]);
  std::vector<std::string> hashes(work.jobs.size());

  compile::CompileOptions options;
  const auto is_nvcc = [](const compile::Source& source) { return source.nvcc; };
  if (!std::all_of(work.sources.begin(), work.sources.end(), is_nvcc))
    options.nvrtc = compile::choose_nvrtc(context.arguments.text("--nvrtc"), gpu.arch, 0);
  options.arch = arch_text(gpu.arch);
  options.jobs = static_cast<int>(context.arguments.integer("--jobs", 1, 4096, 0));
  options.cache = &cache;
  options.stop = stop_requested;
  work.summary.nvrtc = options.nvrtc.version;
  if (std::any_of(work.sources.begin(), work.sources.end(), is_nvcc)) {
    options.nvcc = compile::choose_nvcc();
    work.summary.nvrtc += (work.summary.nvrtc.empty() ? "nvcc " : ", nvcc ") + options.nvcc.version;
  }
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  report::Progress progress(std::cerr, context.notes, context.quiet, [] { return Clock::now(); });
  progress.begin(options.arch);
  tune::ProgressEvent event;
  event.phase = tune::Phase::compile;
  event.of = static_cast<std::int64_t>(work.sources.size());
  if (!context.quiet)
    std::cerr << "compiling " << report::count(event.of, "source", "sources") << " for " << options.arch << " with "
              << report::compiler_text(work.summary.nvrtc) << ", about "
              << report::duration(compile::compile_seconds(event.of, options.jobs, false))
              << " if none is in the cache\n";
  compile::compile_all(work.sources, options, [&](std::size_t i, const Artifact& artifact) {
    judge(*rows[i], work.jobs[i], artifact, gpu);
    hashes[i] = artifact.cubin_hash;
    ++event.done;
    progress.update(event);
  });
  progress.clear();
  work.summary.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  if (stop_requested()) throw Interrupted("interrupted; what was compiled is in the cache", cache.folder());
  mark_duplicates(work, hashes, rows, gpu);
}

GpuFacts wanted_gpu(const Arguments& arguments, const spec::SweepPlan& plan) {
  if (!arguments.has("--arch")) {
    if (plan.arch) return gpu_of_arch(plan.arch);
    arguments.required("--arch");
  }
  const std::string text = arguments.text("--arch");
  const std::optional<int> arch = arch_from_text(text);
  if (!arch) throw UserError("'" + text + "' is no architecture", "--arch", "e.g. sm_75, sm_90");
  try {
    return gpu_of_arch(*arch);
  } catch (const UserError& failure) {
    throw UserError(failure.what(), "--arch", failure.hint());
  }
}

}  // namespace

int cmd_compile(const Context& context) {
  const Arguments& arguments = context.arguments;
  const spec::Catalog catalog = load_catalog(context);
  const spec::SweepPlan plan = spec::read_sweep(find_config(arguments.required("FILE"), context.places), catalog);
  const GpuFacts gpu = wanted_gpu(arguments, plan);
  Work work = collect(plan, gpu, arguments);
  if (work.jobs.empty())
    throw NothingFound("no configuration is legal for " + arch_text(gpu.arch), plan.path,
                       "see the constraints of the manifests");
  work.summary.arch = arch_text(gpu.arch);
  compile::Cache cache(cache_folder(context));
  catch_stop_signals();
  compile_work(work, context, gpu, cache);
  std::cout << (context.json ? report::compile_json(work.summary) : report::compile_text(work.summary, context.style));
  if (!context.quiet)
    std::cerr << work.jobs.size() << " compiles with " << report::compiler_text(work.summary.nvrtc) << " in "
              << static_cast<int>(work.summary.seconds + 0.5) << " s\n";
  for (const report::CompiledKernel& kernel : work.summary.kernels)
    for (const report::CompiledConfig& config : kernel.configs)
      if (config.reason == Reason::none) return 0;
  throw NothingFound("no configuration compiles and fits " + work.summary.arch, plan.path, "the reasons stand above");
}

}  // namespace tuner::cli
