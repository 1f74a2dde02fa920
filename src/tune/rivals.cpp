#include "tune/rivals.h"

#include "compile/occupancy.h"
#include "compile/render.h"
#include "core/error.h"
#include "spec/resolve.h"
#include "tune/workloads.h"

namespace tuner::tune {
namespace {

std::string why_not(const Artifact& artifact, const Execution& execution, const GpuFacts& gpu) {
  if (!artifact.ok()) return artifact.log;
  const auto fault = compile::cannot_run(artifact, execution, gpu);
  return fault ? fault->detail : std::string();
}

// Loads it and fills `beside`; else says why not.
std::string load(Session& session, const Known& known, int place, Beside& beside) {
  const GpuFacts& gpu = session.gpu();
  const spec::KernelSpec& kernel = *known.kernel;
  worker::Member member;
  member.id = member.module = beside.id;
  member.workload = rival_workloads + place;
  member.execution = spec::resolve(kernel, known.problem, known.config, gpu);
  member.needs_verdict = false;
  const compile::Source source = compile::render(kernel, known.config, known.problem, gpu);
  session.builder->build({source}, [](std::size_t, std::size_t) {});
  if (!session.builder->has(source.hash)) throw Interrupted();
  const Artifact& artifact = session.builder->at(source.hash);
  if (std::string why = why_not(artifact, member.execution, gpu); !why.empty()) return why;
  beside.chain = spec::chain_of(kernel, known.problem, known.config, gpu);
  const spec::PlannedProblem planned{&kernel, known.problem, {}};
  session.bench->set_workload(member.workload, workload_of(planned, session), true, reference_module(kernel, session));
  session.bench->need_workload(member.workload);
  session.bench->need_module(member.module, artifact);
  return session.bench->load_member(member).problem;
}

}  // namespace

std::vector<Beside> load_rivals(Session& session, const spec::KernelSpec& kernel, const Problem& problem,
                                const KnownOf& known_of, int first_id, std::vector<std::string>& notes) {
  std::vector<Beside> rivals;
  if (!known_of) return rivals;
  int place = 0;
  for (const std::string& name : kernel.rivals) {
    std::string why;
    Beside beside{name, {}, first_id + place, 0};
    try {
      const auto known = known_of(name, problem, kernel.regime, session.gpu());
      if (known) {
        if (known->match != "exact" && known->match != "pinned") beside.name += " (" + known->match + ")";
        beside.how = known->match + ": " + known->config.label();
        why = load(session, *known, place, beside);
      } else {
        why = "there is no such kernel, or nothing legal here";
      }
    } catch (const worker::WorkerLost&) {
      throw;
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& failure) {
      why = failure.what();
    }
    ++place;
    if (why.empty())
      rivals.push_back(std::move(beside));
    else
      notes.push_back("the baseline " + name + " is left out: " + why);
  }
  return rivals;
}

void drop_rivals(Session& session) {
  for (int place = 0; place < most_rivals; ++place) session.bench->drop_workload(rival_workloads + place);
}

}  // namespace tuner::tune
