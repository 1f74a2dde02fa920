#include "tune/workloads.h"

#include "compile/host_function.h"
#include "core/error.h"
#include "spec/resolve.h"

namespace tuner::tune {
namespace {

using Kind = ReferencePlan::Kind;

void fill_in(ReferencePlan& plan, const spec::KernelSpec& kernel) {
  if (plan.kind == Kind::host)
    plan.file = compile::build_host_function(kernel.reference.source_path, kernel.reference.function);
}

}  // namespace

std::optional<Artifact> reference_module(const spec::KernelSpec& kernel, Session& session) {
  if (kernel.reference.kind != Kind::kernel) return {};
  const compile::Source source = compile::render_reference(kernel);
  session.builder->build({source}, [](std::size_t, std::size_t) {});
  if (!session.builder->has(source.hash)) throw Interrupted();
  const Artifact& artifact = session.builder->at(source.hash);
  if (!artifact.ok())
    throw UserError("the reference '" + kernel.reference.function + "' does not compile: " + artifact.log,
                    kernel.reference.source_path);
  return artifact;
}

int ring_of(const std::string& regime) { return regime == spec::dependent_regime ? 4 : 1; }

Workload workload_of(const spec::PlannedProblem& planned, Session& session) {
  Workload workload = spec::workload_of(*planned.kernel, planned.problem, session.gpu());
  fill_in(workload.reference, *planned.kernel);
  return workload;
}

void set_workloads(const spec::PlannedProblem& planned, const CandidateSet& set, const Workload& workload, bool timed,
                   Session& session) {
  const std::optional<Artifact> reference = reference_module(*planned.kernel, session);
  session.bench->set_workload(0, workload, timed, reference, ring_of(planned.kernel->regime));
  for (std::size_t i = 0; i < set.awkward.size(); ++i) {
    Workload awkward = set.awkward[i];
    awkward.reference.file = workload.reference.file;
    session.bench->set_workload(static_cast<int>(i) + 1, awkward, false, reference);
  }
}

}  // namespace tuner::tune
