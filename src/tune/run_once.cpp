#include "tune/run_once.h"

#include "compile/occupancy.h"
#include "core/error.h"
#include "spec/resolve.h"
#include "tune/memory.h"

namespace tuner::tune {
namespace {

constexpr std::chrono::seconds run_deadline{60};  // a profiler replays a kernel many times

// Nothing is checked.
Workload without_reference(Workload workload) {
  workload.reference = {};
  return workload;
}

Verdict launch(Session& session, const Workload& workload, const Ran& ran) {
  Bench& bench = *session.bench;
  bench.set_workload(0, workload, false);
  worker::VerifyRequest request;
  request.module = 1;
  request.main = {0, ran.execution, 0, true};
  request.deadline = run_deadline;
  try {
    bench.need_workload(0);
    bench.need_module(1, ran.artifact);
    const Verdict verdict = bench.client().run_once(request);
    if (verdict.ok()) bench.client().bye();  // what started the worker sees it end, and may have a last word
    return verdict;
  } catch (const worker::WorkerLost& lost) {
    return {lost.timed_out() ? Reason::timeout : Reason::worker_lost, lost.what()};
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& refused) {
    return {Reason::launch_error, refused.what()};
  }
}

}  // namespace

Ran run_once(const spec::PlannedProblem& planned, const std::function<Config(const GpuFacts&)>& config,
             const SweepOptions& options, compile::Cache& cache, Observer& observer) {
  const spec::KernelSpec& kernel = *planned.kernel;
  spec::SweepPlan plan;
  plan.problems = {planned};
  const bool host = options.device == "host";
  Ran ran;
  Session session = open_session(
      options, cache, observer,
      [&](const GpuFacts& gpu) {
        refuse_too_large(plan, gpu, host);
        ran.config = config(gpu);
        ran.execution = spec::resolve(kernel, planned.problem, ran.config, gpu);
      },
      compilers_of(plan.problems));
  ran.gpu = session.gpu();
  ran.emulated = session.emulated();
  ran.compiler = session.facts.nvrtc;
  const compile::Source source = compile::render(kernel, ran.config, planned.problem, ran.gpu);
  session.builder->build({source}, [](std::size_t, std::size_t) {});
  if (!session.builder->has(source.hash)) throw Interrupted();
  ran.artifact = session.builder->at(source.hash);
  if (!ran.artifact.ok()) {
    ran.verdict = {ran.artifact.reason, ran.artifact.log};
  } else if (const auto fault = compile::cannot_run(ran.artifact, ran.execution, ran.gpu)) {
    ran.verdict = *fault;
  } else {
    ran.verdict = launch(session, without_reference(spec::workload_of(kernel, planned.problem, ran.gpu)), ran);
  }
  return ran;
}

}  // namespace tuner::tune
