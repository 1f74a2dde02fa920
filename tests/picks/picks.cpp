// How good the winners of several sweeps of one problem are: all of them, the 50 best and 50 random survivors of the
// first sweep against each other in many paired rounds.
//
//   picks PROGRAM TEMPLATES MANIFEST SHAPE DEVICE ROUNDS DATABASE...
//
// Prints each pick's median ratio to the best of all; exit 1 when one is over 1 % slower.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>

#include "core/error.h"
#include "core/statistics.h"
#include "proc/program.h"
#include "store/store.h"
#include "tune/candidates.h"
#include "tune/verify_all.h"
#include "tune/workloads.h"

namespace {

using namespace tuner;

constexpr int best_count = 50;
constexpr int random_count = 50;

struct Field {
  std::vector<Config> picks;     // one a database
  std::set<std::string> racing;  // configurations as JSON
};

Field read_field(const std::vector<std::string>& databases, const GpuFacts& gpu, const Problem& problem) {
  Field field;
  for (const std::string& path : databases) {
    const store::Store store = store::Store::open(path, store::Store::Mode::read_only);
    const auto result = store.result(gpu, problem, "plain");
    if (!result || result->winner == 0) throw UserError("no winner of this problem", path);
    field.picks.push_back(store.trial(result->winner)->config);
    field.racing.insert(to_json(field.picks.back()));
    if (field.picks.size() > 1) continue;
    std::vector<Trial> survivors = store.trials(gpu, problem, "plain");
    survivors.erase(std::remove_if(survivors.begin(), survivors.end(),
                                   [](const Trial& trial) { return trial.status != Status::measured; }),
                    survivors.end());
    std::sort(survivors.begin(), survivors.end(), [](const Trial& a, const Trial& b) { return a.time_us < b.time_us; });
    const auto best = std::min<std::size_t>(survivors.size(), best_count);
    for (std::size_t i = 0; i < best; ++i) field.racing.insert(to_json(survivors[i].config));
    std::mt19937 random(1);
    std::shuffle(survivors.begin() + static_cast<std::ptrdiff_t>(best), survivors.end(), random);
    for (std::size_t i = best; i < survivors.size() && i < best + random_count; ++i)
      field.racing.insert(to_json(survivors[i].config));
  }
  return field;
}

// Loads who races; returns (configuration, member) of each.
std::vector<std::pair<std::string, int>> load(tune::Session& session, const spec::PlannedProblem& planned,
                                              const std::set<std::string>& racing) {
  tune::CandidateSet set = tune::enumerate(planned, session.gpu());
  const auto sources = tune::render_all(planned, set, session.gpu());
  std::vector<compile::Source> wanted;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    set.all[i].source_hash = sources[i].hash;
    if (racing.count(to_json(set.all[i].trial.config))) wanted.push_back(sources[i]);
  }
  session.builder->build(wanted, [](std::size_t, std::size_t) {});
  tune::set_workloads(planned, set, tune::workload_of(planned, session), true, session);
  std::vector<std::pair<std::string, int>> members;
  for (std::size_t i = 0; i < set.all.size(); ++i) {
    tune::Candidate& candidate = set.all[i];
    const std::string config = to_json(candidate.trial.config);
    if (!racing.count(config)) continue;
    candidate.awkward.clear();
    const Verdict verdict = tune::verify_one(candidate, static_cast<int>(i), session);
    if (!verdict.ok()) throw MachineError("a stored candidate is wrong now: " + verdict.detail, config);
    worker::Member member;
    member.id = member.module = static_cast<int>(i) + 1;
    member.execution = candidate.execution;
    session.bench->load_member(member);
    members.emplace_back(config, member.id);
  }
  return members;
}

int run(int argc, char** argv) {
  if (argc < 8) throw UserError("usage: picks PROGRAM TEMPLATES MANIFEST SHAPE DEVICE ROUNDS DATABASE...");
  tune::SweepOptions options;
  options.program = argv[1];
  options.templates = argv[2];
  options.device = argv[5];
  proc::set_own_program(argv[1]);
  compile::Cache cache((std::filesystem::temp_directory_path() / "tuner-picks-cache").string());
  tune::Session session = tune::open_session(options, cache);
  const spec::KernelSpec kernel = spec::read_kernel(argv[3]);
  const spec::PlannedProblem planned{
      &kernel, spec::make_problem(kernel, parse_shape(argv[4], "shape"), {}, "shape"), {}};
  const Field field = read_field({argv + 7, argv + argc}, session.gpu(), planned.problem);
  const auto members = load(session, planned, field.racing);
  std::vector<int> ids;
  for (const auto& member : members) ids.push_back(member.second);
  std::vector<std::vector<double>> rows;
  for (int round = 0; round < std::atoi(argv[6]); ++round)
    rows.push_back(session.bench->client().round(ids, static_cast<std::uint64_t>(round) + 1));

  // The best is the one of the least median; everyone is compared with it round by round.
  std::vector<double> medians;
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::vector<double> us;
    for (const auto& row : rows) us.push_back(row[i]);
    medians.push_back(median(us));
  }
  const auto best = static_cast<std::size_t>(std::min_element(medians.begin(), medians.end()) - medians.begin());
  fmt::print("best of {}: {:.3f} us  {}\n", members.size(), medians[best], members[best].first);
  bool good = true;
  for (std::size_t p = 0; p < field.picks.size(); ++p) {
    const std::string config = to_json(field.picks[p]);
    const auto at = static_cast<std::size_t>(
        std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.first == config; }) -
        members.begin());
    if (at == members.size()) throw UserError("a pick is not among the configurations of this manifest", argv[7 + p]);
    std::vector<double> ratios;
    for (const auto& row : rows) ratios.push_back(std::log(row[at] / row[best]));
    const double ratio = std::exp(median(ratios));
    good = good && ratio <= 1.01;
    fmt::print("{} {}: {:.3f} us, {:.4f} of the best  {}\n", ratio <= 1.01 ? "ok  " : "BAD ", argv[7 + p], medians[at],
               ratio, config);
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "error: {}\n", failure.what());
    return 2;
  }
}
