// How good the answers of several sweeps of one problem are: all winners with their ties, the 50 best and 50 random
// survivors of the first sweep against each other in many paired rounds.
//
//   picks PROGRAM TEMPLATES MANIFEST SHAPE DEVICE ROUNDS DATABASE...
//
// Prints each winner's median ratio to the best of all; exit 1 where a set of ties does not hold the best, or one that
// two loads of one kernel differ by as much from; where one has a margin over 0.5 %, their median has over five
// members, or the winners are over 0.5 % slower than the best in the median or over 1 % at worst.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "core/error.h"
#include "core/statistics.h"
#include "measure/race.h"
#include "proc/program.h"
#include "store/store.h"
#include "tune/candidates.h"
#include "tune/verify_all.h"
#include "tune/workloads.h"

namespace {

using namespace tuner;

constexpr int best_count = 50;
constexpr int random_count = 50;

constexpr int twin_id = 1 << 24;

// What a sweep answered; configurations as JSON.
struct Pick {
  std::string database;
  std::vector<std::string> tied;  // the winner first
  double margin = 0;
};

struct Field {
  std::vector<Pick> picks;
  std::set<std::string> racing;
};

Field read_field(const std::vector<std::string>& databases, const GpuFacts& gpu, const Problem& problem) {
  Field field;
  for (const std::string& path : databases) {
    const store::Store store = store::Store::open(path, store::Store::Mode::read_only);
    const auto result = store.result(gpu, problem, "plain");
    if (!result || result->winner == 0) throw UserError("no winner of this problem", path);
    Pick pick{path, {}, result->margin};
    for (const std::int64_t id : result->tied) pick.tied.push_back(to_json(store.trial(id)->config));
    field.racing.insert(pick.tied.begin(), pick.tied.end());
    field.picks.push_back(std::move(pick));
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

using Members = std::vector<std::pair<std::string, int>>;  // (configuration, id)

// Loads who races, and the first pick a second time.
Members load(tune::Session& session, const spec::PlannedProblem& planned, const Field& field) {
  tune::CandidateSet set = tune::enumerate(planned, session.gpu());
  const auto sources = tune::render_all(planned, set, session.gpu());
  std::vector<compile::Source> wanted;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    set.all[i].source_hash = sources[i].hash;
    if (field.racing.count(to_json(set.all[i].trial.config))) wanted.push_back(sources[i]);
  }
  session.builder->build(wanted, [](std::size_t, std::size_t) {});
  tune::set_workloads(planned, set, tune::workload_of(planned, session), true, session);
  Members members;
  for (std::size_t i = 0; i < set.all.size(); ++i) {
    tune::Candidate& candidate = set.all[i];
    const std::string config = to_json(candidate.trial.config);
    if (!field.racing.count(config)) continue;
    candidate.awkward.clear();
    const Verdict verdict = tune::verify_one(candidate, static_cast<int>(i), session);
    if (!verdict.ok()) throw MachineError("a stored candidate is wrong now: " + verdict.detail, config);
    worker::Member member;
    member.id = member.module = static_cast<int>(i) + 1;
    member.execution = candidate.execution;
    session.bench->load_member(member);
    members.emplace_back(config, member.id);
    if (config != field.picks.front().tied.front()) continue;
    member.id = twin_id;
    session.bench->load_member(member);
  }
  return members;
}

// Medians of paired ratios to the best of all, and how far apart one kernel loaded twice is.
struct Standing {
  std::map<std::string, double> ratio;
  double floor = 0;
};

double ratio_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> logs;
  for (std::size_t r = 0; r < a.size(); ++r) logs.push_back(std::log(a[r] / b[r]));
  return std::exp(median(std::move(logs)));
}

Standing race(tune::Session& session, const Members& members, const std::string& twin, int rounds) {
  std::vector<int> ids;
  for (const auto& member : members) ids.push_back(member.second);
  ids.push_back(twin_id);
  std::vector<std::vector<double>> rows(ids.size());
  for (int round = 0; round < rounds; ++round) {
    const auto us = session.bench->client().round(ids, static_cast<std::uint64_t>(round) + 1);
    for (std::size_t i = 0; i < us.size(); ++i) rows[i].push_back(us[i]);
  }
  std::size_t best = 0;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (ratio_of(rows[i], rows[best]) < 1) best = i;
  Standing standing;
  for (std::size_t i = 0; i < members.size(); ++i) {
    standing.ratio[members[i].first] = ratio_of(rows[i], rows[best]);
    if (members[i].first == twin) standing.floor = measure::noise_floor(rows[i], rows.back());
  }
  fmt::print("best of {}: {:.3f} us  {}\none kernel loaded twice: {:.3f} % apart\n", members.size(), median(rows[best]),
             members[best].first, 100 * standing.floor);
  return standing;
}

bool judge(const Field& field, const Standing& standing) {
  bool good = true;
  std::vector<double> regrets, sizes, margins;
  for (const Pick& pick : field.picks) {
    double least = standing.ratio.at(pick.tied.front());
    regrets.push_back(least - 1);
    for (const std::string& config : pick.tied) least = std::min(least, standing.ratio.at(config));
    const bool holds = least <= 1 + standing.floor;
    good = good && holds;
    sizes.push_back(static_cast<double>(pick.tied.size()));
    margins.push_back(pick.margin);
    fmt::print("{} {}: {:.4f} of the best, {} tied at {:.2f} %, the best of them {:.4f}  {}\n", holds ? "ok  " : "BAD ",
               pick.database, regrets.back() + 1, pick.tied.size(), 100 * pick.margin, least, pick.tied.front());
  }
  const double worst = *std::max_element(regrets.begin(), regrets.end());
  const double widest = *std::max_element(margins.begin(), margins.end());
  fmt::print(
      "{} sweeps: {:.3f} % behind in the median, {:.3f} % at worst; {} tied in the median; widest margin {:.2f} %\n",
      field.picks.size(), 100 * median(regrets), 100 * worst, median(sizes), 100 * widest);
  return good && median(regrets) <= 0.005 && worst <= 0.01 && median(sizes) <= 5 && widest <= 0.005;
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
  const Members members = load(session, planned, field);
  if (members.size() != field.racing.size())
    throw UserError("a stored configuration is not among those of this manifest", argv[3]);
  const Standing standing = race(session, members, field.picks.front().tied.front(), std::atoi(argv[6]));
  return judge(field, standing) ? 0 : 1;
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
