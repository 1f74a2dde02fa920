#include "tune/beside.h"

#include <algorithm>

#include "compile/baseline.h"
#include "core/ceiling_probe.h"
#include "core/error.h"
#include "spec/resolve.h"
#include "tune/likely_probes.h"
#include "tune/sized_probe.h"

namespace tuner::tune {
namespace {

Facts probe_facts(const spec::PlannedProblem& planned, bool reads_x) {
  const Facts& facts = planned.problem.facts;
  Facts given{{"a", Name{planned.kernel->dtype}}, {"reads_x", std::int64_t{reads_x}}};
  for (const char* name : {"y", "row_stride", "batch"})
    for (const auto& [key, value] : facts)
      if (key == name) given.emplace_back(key, value);
  return given;
}

ProbeRequest sized_request(const Session& session, const spec::PlannedProblem& planned, bool reads_x, Width width) {
  ProbeRequest request;
  request.name = "probe_read";
  request.dims = planned.problem.dims;
  request.facts = probe_facts(planned, reads_x);
  request.first_id = probe_ids + (reads_x ? 0 : 1 << 16);
  request.keep = reads_x ? 3 : 1;
  request.regime = planned.kernel->regime;
  if (width == Width::likely) request.tries = likely_at_size(request.name, session.gpu().arch);
  return request;
}

// Whether the probe reads the kernel's own matrix. Where a reference of another kind says what is right, A may be any.
bool probes_own_matrix(const spec::PlannedProblem& planned, const Workload& workload) {
  return planned.kernel->family == "gemv" && workload.reference.kind == ReferencePlan::Kind::gemv;
}

void load_probes(Extras& extras, Session& session, const spec::PlannedProblem& planned, const Workload& workload,
                 Width width) {
  if (ceiling_probe(planned.kernel->name) != nullptr) return;
  extras.narrow = false;
  if (probes_own_matrix(planned, workload)) {
    const ProbeRequest with_x = sized_request(session, planned, true, width);
    extras.narrow = !with_x.tries.empty();
    extras.with_x = best_probes(session, with_x);
    extras.without_x = best_probes(session, sized_request(session, planned, false, width));
  } else if (planned.kernel->bound_by == "memory" && workload.bytes_read + workload.bytes_written > 0) {
    SizedProbes sized = probes_of_size(session, workload, planned.kernel->regime, width);
    extras.with_x = std::move(sized.probes);
    extras.scale = sized.scale;
    extras.narrow = sized.narrow;
  }
}

// Probes and the vendor.
Extras load_measures(Session& session, const spec::PlannedProblem& planned, const Workload& workload) {
  Extras extras;
  if (ceiling_probe(planned.kernel->name) != nullptr) return extras;
  load_probes(extras, session, planned, workload, Width::likely);
  for (const auto& baseline : planned.kernel->baselines) {
    if (baseline != "cublas") continue;
    for (int order : {0, 1}) {
      worker::Member member;
      member.id = vendor_ids + order;
      member.vendor_order = order;
      member.needs_verdict = false;
      if (session.bench->load_member(member).problem.empty()) extras.vendor.push_back(member.id);
    }
  }
  return extras;
}

// A baseline that cannot be had is a note, never the end of a sweep.
void load_own(Extras& extras, Session& session, const spec::PlannedProblem& planned, const Execution& execution) {
  int id = vendor_ids + 16;
  for (const spec::BaselineSpec& baseline : planned.kernel->own_baselines) {
    worker::Member member;
    member.id = id++;
    member.execution = execution;
    member.needs_verdict = false;
    std::string problem;
    try {
      member.library = compile::build_baseline(baseline, arch_text(session.gpu().arch));
      problem = session.bench->load_member(member).problem;
    } catch (const worker::WorkerLost&) {
      throw;
    } catch (const Error& failure) {
      problem = failure.what();
    }
    if (problem.empty())
      extras.own.push_back({baseline.name, baseline.function, member.id, 0});
    else
      extras.notes.push_back("the baseline " + baseline.name + " is left out: " + problem);
  }
}

// A baseline that is wrong is no measure.
void check_own(Extras& extras, Session& session) {
  const auto wrong = [&](const Beside& own) {
    const Verdict verdict = session.bench->client().check_timed(own.id, own.chain);
    if (!verdict.ok())
      extras.notes.push_back("the baseline " + own.name + " is left out: it is wrong: " + verdict.detail);
    return !verdict.ok();
  };
  extras.own.erase(std::remove_if(extras.own.begin(), extras.own.end(), wrong), extras.own.end());
}

}  // namespace

Extras load_extras(const TimingRequest& request, const Execution& execution, Session& session) {
  const spec::PlannedProblem& planned = *request.planned;
  Extras extras = load_measures(session, planned, *request.workload);
  load_own(extras, session, planned, execution);
  for (Beside& rival :
       load_rivals(session, *planned.kernel, planned.problem, request.known_of, vendor_ids + 1024, extras.notes))
    extras.own.push_back(std::move(rival));
  check_own(extras, session);
  return extras;
}

void widen(Extras& extras, const spec::PlannedProblem& planned, const Workload& workload, Session& session) {
  for (const std::vector<Probe>* probes : {&extras.with_x, &extras.without_x})
    for (const Probe& probe : *probes) {
      session.bench->drop_member(probe.member.id);
      session.bench->drop_module(probe.member.module);
    }
  load_probes(extras, session, planned, workload, Width::all);
}

std::vector<compile::Source> sources_ahead(const spec::PlannedProblem& planned, const Session& session) {
  std::vector<compile::Source> sources = render_all(planned, enumerate(planned, session.gpu()), session.gpu());
  const bool probed = ceiling_probe(planned.kernel->name) == nullptr;
  if (probed && probes_own_matrix(planned, spec::workload_of(*planned.kernel, planned.problem, session.gpu())))
    for (const bool reads_x : {true, false})
      for (compile::Source& source : probe_sources(session, sized_request(session, planned, reads_x, Width::likely)))
        sources.push_back(std::move(source));
  return sources;
}

}  // namespace tuner::tune
