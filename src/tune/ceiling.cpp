#include "tune/ceiling.h"

#include <algorithm>
#include <numeric>

#include "compile/occupancy.h"
#include "compile/render.h"
#include "core/error.h"
#include "core/statistics.h"
#include "measure/race.h"
#include "spec/resolve.h"

namespace tuner::tune {
namespace {

constexpr int read_workload = sustained_ids;
constexpr int copy_workload = sustained_ids + 1;

struct Built {
  Config config;
  Execution execution;
  std::string source_hash;
};

// Every legal configuration that compiles and can run.
std::vector<Built> build_probes(Session& session, const spec::KernelSpec& kernel, const Problem& problem,
                                const space::Partial& only) {
  std::vector<Built> built;
  std::vector<compile::Source> sources;
  kernel.space.for_each(spec::base_scope(kernel, problem, session.gpu()), only, [&](const Config& config) {
    sources.push_back(compile::render(kernel, config, problem, session.gpu()));
    built.push_back({config, spec::resolve(kernel, problem, config, session.gpu()), sources.back().hash});
    return true;
  });
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

std::vector<Probe> race_probes(Session& session, const ProbeRequest& request, const space::Partial& only) {
  const spec::KernelSpec& kernel = session.probes.at(request.name, "probes");
  const Problem problem = spec::make_problem(kernel, request.dims, request.facts, request.name);
  std::vector<Probe> probes;
  for (const auto& each : build_probes(session, kernel, problem, only)) {
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

std::vector<Probe> best_probes(Session& session, const ProbeRequest& request) {
  session.bench->need_workload(request.workload);
  std::vector<Probe> probes = race_probes(session, request, {});
  std::sort(probes.begin(), probes.end(), [](const Probe& a, const Probe& b) { return a.us < b.us; });
  const std::size_t keep = std::min<std::size_t>(probes.size(), static_cast<std::size_t>(request.keep));
  for (std::size_t i = keep; i < probes.size(); ++i) {
    session.bench->drop_member(probes[i].member.id);
    session.bench->drop_module(probes[i].member.module);
  }
  probes.resize(keep);
  return probes;
}

void Sustained::open(Session& session) {
  const GpuFacts& gpu = session.gpu();
  const std::int64_t wanted = std::max<std::int64_t>(8 * gpu.l2_bytes, std::int64_t{2} << 30);
  const std::int64_t bytes = std::min(wanted, gpu.memory_bytes / 16);
  constexpr std::int64_t columns = 8192;
  const auto open_one = [&](One& one, const char* name, int workload, int first_id, std::vector<std::int64_t> dims) {
    one.request.name = name;
    one.request.dims = std::move(dims);
    one.request.workload = workload;
    one.request.first_id = first_id;
    one.request.keep = 1;
    const spec::KernelSpec& kernel = session.probes.at(name, "probes");
    const Problem problem = spec::make_problem(kernel, one.request.dims, one.request.facts, name);
    one.workload = spec::workload_of(kernel, problem, gpu);
  };
  read_.request.facts = {{"reads_x", std::int64_t{0}}};
  open_one(read_, "probe_read", read_workload, sustained_ids, {bytes / 2 / columns, columns});
  open_one(copy_, "probe_copy", copy_workload, sustained_ids + (1 << 16), {bytes / 4 / columns, columns});
  probe_again(session);
}

// Loads what is needed, chooses the configuration the first time, and takes the best achieved.
double Sustained::run(Session& session, One& one, int rounds) {
  Bench& bench = *session.bench;
  bench.client();
  if (one.epoch != bench.epoch()) {
    bench.set_workload(one.request.workload, one.workload, true);
    bench.need_workload(one.request.workload);
    std::vector<Probe> probes = one.chosen.params.empty() ? best_probes(session, one.request)
                                                          : race_probes(session, one.request, exactly(one.chosen));
    if (probes.empty()) throw MachineError("no configuration of " + one.request.name + " runs on this GPU");
    one.chosen = probes.front().config;
    one.member = probes.front().member.id;
    one.epoch = bench.epoch();
  }
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i)
    samples.push_back(bench.client().round({one.member}, static_cast<std::uint64_t>(i)).front());
  return (one.workload.bytes_read + one.workload.bytes_written) / median(samples) / 1e3;
}

void Sustained::probe_again(Session& session) {
  try {
    probe_once(session);
  } catch (const worker::WorkerLost&) {  // a probe is no candidate: once more, in a fresh worker
    session.bench->lost();
    probe_once(session);
  }
}

void Sustained::probe_once(Session& session) {
  read_gb_per_s_ = std::max(read_gb_per_s_, run(session, read_, 5));
  copy_gb_per_s_ = std::max(copy_gb_per_s_, run(session, copy_, 5));
  read_config_ = read_.chosen.label();
  copy_config_ = copy_.chosen.label();
}

}  // namespace tuner::tune
