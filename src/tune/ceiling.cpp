#include "tune/ceiling.h"

#include <algorithm>
#include <numeric>

#include "compile/occupancy.h"
#include "compile/render.h"
#include "core/error.h"
#include "core/statistics.h"
#include "measure/race.h"
#include "spec/resolve.h"
#include "tune/ceiling_plan.h"
#include "tune/likely_probes.h"

namespace tuner::tune {
namespace {

// Those of Sustained, and of each arithmetic probe by its place in ceiling_probes().
constexpr int read_place = 0, copy_place = 1, first_peak_place = 2;

struct Built {
  Config config;
  Execution execution;
  std::string source_hash;
};

// Whether what is to be tried is said of this probe: a folder of other probes may have one of the same name.
bool knows(const spec::KernelSpec& kernel, const space::Partial& only) {
  const auto is_param = [&](const std::string& name) {
    return std::any_of(kernel.space.params.begin(), kernel.space.params.end(),
                       [&](const space::Param& param) { return param.name == name; });
  };
  return std::all_of(only.begin(), only.end(), [&](const auto& each) { return is_param(each.first); });
}

// Every legal one, once.
std::vector<Config> configs_of(const spec::KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu,
                               const std::vector<space::Partial>& tries) {
  std::vector<Config> configs;
  const space::Scope scope = spec::base_scope(kernel, problem, gpu);
  const std::vector<space::Partial> all(1);
  const bool known = !tries.empty() && std::all_of(tries.begin(), tries.end(),
                                                   [&](const space::Partial& only) { return knows(kernel, only); });
  for (const space::Partial& only : known ? tries : all)
    kernel.space.for_each(scope, only, [&](const Config& config) {
      if (std::find(configs.begin(), configs.end(), config) == configs.end()) configs.push_back(config);
      return true;
    });
  return configs;
}

// Those that compile and can run.
std::vector<Built> build_probes(Session& session, const spec::KernelSpec& kernel, const Problem& problem,
                                const std::vector<space::Partial>& tries) {
  std::vector<Built> built;
  std::vector<compile::Source> sources;
  for (const Config& config : configs_of(kernel, problem, session.gpu(), tries)) {
    sources.push_back(compile::render(kernel, config, problem, session.gpu()));
    built.push_back({config, spec::resolve(kernel, problem, config, session.gpu()), sources.back().hash});
  }
  session.builder->build(sources, [](std::size_t, std::size_t) {});
  const auto unusable = [&](const Built& each) {
    if (!session.builder->has(each.source_hash)) return true;
    const Artifact& artifact = session.builder->at(each.source_hash);
    return !artifact.ok() || compile::cannot_run(artifact, each.execution, session.gpu()).has_value();
  };
  built.erase(std::remove_if(built.begin(), built.end(), unusable), built.end());
  return built;
}

space::Partial exactly(const Config& config) {
  space::Partial only;
  for (const auto& [name, value] : config.params) only.push_back({name, {value}});
  return only;
}

std::vector<Probe> race_probes(Session& session, const ProbeRequest& request) {
  const spec::KernelSpec& kernel = spec::launched_in(session.probes.at(request.name, "probes"), request.regime);
  const Problem problem = spec::make_problem(kernel, request.dims, request.facts, request.name);
  std::vector<Probe> probes;
  for (const auto& each : build_probes(session, kernel, problem, request.tries)) {
    Probe probe{each.config, {}, 0};
    probe.member.id = probe.member.module = request.first_id + static_cast<int>(probes.size());
    probe.member.workload = request.workload;
    probe.member.execution = each.execution;
    probe.member.needs_verdict = false;
    session.bench->need_module(probe.member.module, session.builder->at(each.source_hash));
    const worker::Recorded recorded = session.bench->load_member(probe.member);
    if (!recorded.problem.empty()) {
      session.bench->drop_module(probe.member.module);
      continue;
    }
    probes.push_back(std::move(probe));
  }
  measure::RaceOptions options;
  options.max_rounds = request.rounds;
  options.first_test = request.rounds + 1;
  options.early_factor = 1.5;
  measure::Race race(static_cast<int>(probes.size()), {}, options);
  for (auto racing = race.ask(); !racing.empty(); racing = race.ask()) {
    std::vector<int> ids;
    for (int i : racing) ids.push_back(probes[static_cast<std::size_t>(i)].member.id);
    race.tell(session.bench->client().round(ids, static_cast<std::uint64_t>(race.rounds()) + 1));
  }
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const auto& samples = race.samples(static_cast<int>(i));
    probes[i].us = race.left_early(static_cast<int>(i)) || samples.empty() ? 1e30 : median(samples);
  }
  return probes;
}

}  // namespace

std::vector<compile::Source> probe_sources(const Session& session, const ProbeRequest& request) {
  const spec::KernelSpec& kernel = spec::launched_in(session.probes.at(request.name, "probes"), request.regime);
  const Problem problem = spec::make_problem(kernel, request.dims, request.facts, request.name);
  std::vector<compile::Source> sources;
  for (const Config& config : configs_of(kernel, problem, session.gpu(), request.tries))
    sources.push_back(compile::render(kernel, config, problem, session.gpu()));
  return sources;
}

std::vector<Probe> best_probes(Session& session, const ProbeRequest& request) {
  const TimeSpent::Doing doing(*session.spent, Work::probe);
  session.bench->need_workload(request.workload);
  std::vector<Probe> probes = race_probes(session, request);
  std::sort(probes.begin(), probes.end(), [](const Probe& a, const Probe& b) { return a.us < b.us; });
  const std::size_t keep = std::min<std::size_t>(probes.size(), static_cast<std::size_t>(request.keep));
  for (std::size_t i = keep; i < probes.size(); ++i) {
    session.bench->drop_member(probes[i].member.id);
    session.bench->drop_module(probes[i].member.module);
  }
  probes.resize(keep);
  return probes;
}

void KeptProbe::load(Session& session) {
  const spec::KernelSpec& kernel = session.probes.at(request_.name, "probes");
  const Problem problem = spec::make_problem(kernel, request_.dims, request_.facts, request_.name);
  workload_ = spec::workload_of(kernel, problem, session.gpu());
  workload_.reference = {};  // a sweep of the probe itself verifies it
  session.bench->set_workload(request_.workload, workload_, true);
  if (!chosen_.params.empty()) request_.tries = {exactly(chosen_)};
  const std::vector<Probe> probes = best_probes(session, request_);
  if (probes.empty()) throw MachineError("no configuration of " + request_.name + " runs on this GPU");
  chosen_ = probes.front().config;
  member_ = probes.front().member.id;
  epoch_ = session.bench->epoch();
}

double KeptProbe::us(Session& session, int rounds) {
  const TimeSpent::Doing doing(*session.spent, Work::probe);
  Bench& bench = *session.bench;
  bench.client();
  if (epoch_ != bench.epoch()) load(session);
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i)
    samples.push_back(bench.client().round({member_}, static_cast<std::uint64_t>(i)).front());
  return median(samples);
}

namespace {

ProbeRequest kept_request(Session& session, const char* name, int place) {
  const Problem problem = ceiling_problem(session.probes.at(name, "probes"), session.gpu());
  ProbeRequest request;
  request.name = name;
  request.dims = problem.dims;
  request.facts = problem.facts;
  request.workload = sustained_ids + place;
  request.first_id = sustained_ids + (place << 16);
  request.keep = 1;
  return request;
}

double gb_per_s(Session& session, KeptProbe& probe) {
  const double us = probe.us(session, 5);
  return (probe.workload().bytes_read + probe.workload().bytes_written) / us / 1e3;
}

// A probe is no candidate: where it loses its worker, once more in a fresh one.
template <class F>
void twice_at_most(Session& session, F&& probe) {
  try {
    probe();
  } catch (const worker::WorkerLost&) {
    session.bench->lost();
    probe();
  }
}

}  // namespace

void Sustained::open(Session& session, bool copy) {
  const auto kept = [&](const char* name, int place) {
    ProbeRequest request = kept_request(session, name, place);
    request.tries = {likely_at_large(name)};
    return request;
  };
  read_.emplace(kept("probe_read", read_place));
  if (copy) copy_.emplace(kept("probe_copy", copy_place));
  probe_again(session);
}

void Sustained::probe_again(Session& session) {
  twice_at_most(session, [&] { probe_once(session); });
}

void Sustained::probe_once(Session& session) {
  read_gb_per_s_ = std::max(read_gb_per_s_, gb_per_s(session, *read_));
  read_config_ = read_->chosen().label();
  if (!copy_) return;
  copy_gb_per_s_ = std::max(copy_gb_per_s_, gb_per_s(session, *copy_));
  copy_config_ = copy_->chosen().label();
}

void Peaks::open(Session& session, const std::string& arithmetic) {
  std::vector<One>& ones = units_[arithmetic];
  int place = first_peak_place;
  for (const CeilingProbe& probe : ceiling_probes()) {
    ++place;
    if (probe.arithmetic != arithmetic) continue;
    const spec::KernelSpec* kernel = session.probes.find(probe.kernel);
    if (kernel == nullptr) continue;
    const ProbeRequest request = kept_request(session, kernel->name.c_str(), place);
    const Problem problem = ceiling_problem(*kernel, session.gpu());
    if (!spec::why_not_on(*kernel, problem, session.gpu())) ones.push_back({&probe, KeptProbe(request)});
  }
}

void Peaks::probe_once(Session& session, One& one) {
  const double us = one.kept.us(session, 5);
  const double value = ceiling_value(*one.probe, {0, one.kept.workload().flops, 0, us});
  if (!is_impossible(*one.probe, value, session.gpu())) one.best = std::max(one.best, value);
}

double Peaks::tflop_per_s(Session& session, const std::string& arithmetic) {
  if (units_.count(arithmetic) == 0) open(session, arithmetic);
  double best = 0;
  for (One& one : units_[arithmetic]) {
    twice_at_most(session, [&] { probe_once(session, one); });
    best = std::max(best, one.best);
  }
  return best;
}

}  // namespace tuner::tune
