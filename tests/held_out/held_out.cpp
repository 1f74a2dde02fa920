// held_out DATABASE [GPU]: holds out each tuned shape in turn, asks the ladder on the rest, and compares its answer
// with the manifest's default by the trials that are stored of the held-out shape. Exit 1 where an answer is over 2 %
// slower than the default, or was rejected there.
#include <fmt/format.h>

#include <map>
#include <set>

#include "export/knowledge.h"
#include "spec/catalog.h"
#include "store/expected_loss.h"
#include "store/gpu_choice.h"
#include "store/ladder.h"
#include "store/results_file.h"
#include "store/selection.h"
#include "store/stored_entries.h"

namespace tuner {
namespace {

using store::Entry;

constexpr double allowed_behind = 0.02;

// A finished problem: what a row shows, and what is known of every configuration.
struct Tuned {
  Entry shown;
  store::TimedProblem timed;
  std::set<std::string> rejected;
  std::map<std::string, Trial> answers;
};

Tuned tuned_of(const store::Store& store, Entry shown) {
  Tuned tuned;
  tuned.timed.problem = shown.result.problem;
  const std::vector<Trial> all = store::all_trials(store, shown);
  for (const Trial& trial : all) {
    const std::string config = to_json(trial.config);
    const double us = store::cost_or_sample_of(trial, all);
    if (us > 0) tuned.timed.times[config] = us;
    if (trial.status == Status::measured && trial.deterministic && !trial.exact_only)
      tuned.timed.answers.push_back(config), tuned.answers.emplace(config, trial);
    if (trial.id == shown.result.winner) tuned.timed.winner = config;
    if (trial.id == shown.result.default_trial) tuned.timed.default_us = us;
    if (trial.status == Status::rejected) tuned.rejected.insert(config);
  }
  tuned.shown = std::move(shown);
  return tuned;
}

bool same_group(const Entry& a, const Entry& b) {
  return store::gpu_key(a.gpu) == store::gpu_key(b.gpu) && a.result.problem.kernel == b.result.problem.kernel &&
         a.result.regime == b.result.regime;
}

// The trial that answers neighbours stands among those that a row shows.
void show(Entry& row, const Tuned& tuned, const std::string& traveller) {
  const auto at = tuned.answers.find(traveller);
  if (at == tuned.answers.end()) return;
  row.result.traveller = at->second.id;
  for (const Trial& trial : row.trials)
    if (trial.id == at->second.id) return;
  row.trials.push_back(at->second);
}

// What would have been stored had the held-out shape never been tuned.
std::vector<Entry> rest_of(const std::vector<Tuned>& all, const Tuned& held) {
  std::vector<Entry> rest;
  std::vector<store::TimedProblem> problems;
  std::vector<const Tuned*> members;
  for (const Tuned& tuned : all) {
    if (!same_group(tuned.shown, held.shown) || tuned.timed.problem.dims == held.timed.problem.dims) continue;
    rest.push_back(tuned.shown);
    problems.push_back(tuned.timed);
    members.push_back(&tuned);
  }
  const auto losses = store::leave_one_out(problems);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    rest[i].result.expected_loss = losses[i].expected;
    rest[i].result.default_loss = losses[i].by_default;
    rest[i].result.worst_loss = losses[i].worst;
    rest[i].result.loss_neighbours = losses[i].neighbours;
    show(rest[i], *members[i], losses[i].traveller);
  }
  return rest;
}

struct Totals {
  int shapes = 0, judged = 0, bad = 0, near = 0;
  double answer_loss = 0, default_loss = 0;
};

void replay(const std::vector<Tuned>& all, const Tuned& held, const store::KernelKnowledge& kernels, Totals& totals) {
  const std::vector<Entry> rest = rest_of(all, held);
  const std::vector<store::Pin> pins;
  const std::vector<store::Forbid> forbids;
  const auto whole_already = [](const Entry&) {};
  const store::Ladder ladder(rest, pins, forbids, kernels, whole_already);
  const ProblemResult& row = held.shown.result;
  const auto answer = ladder.answer(row.problem, row.regime, held.shown.gpu);
  const auto best = held.timed.times.find(held.timed.winner);
  const double default_us = held.timed.default_us;
  ++totals.shapes;
  if (!answer || best == held.timed.times.end() || default_us <= 0) return;
  const double best_us = best->second;
  const std::string config = to_json(answer->config);
  const bool rejected = held.rejected.count(config) != 0;
  const auto at = held.timed.times.find(config);
  fmt::print("{:<10} {:<14} {:<10} from {:<14} best {:8.2f} us, default {:+6.2f} %", row.problem.kernel,
             shape_text(row.problem.dims), store::to_text(answer->match),
             answer->entry != nullptr ? shape_text(answer->entry->result.problem.dims) : "-", best_us,
             100 * (default_us / best_us - 1));
  if (at == held.timed.times.end() && !rejected) {
    fmt::print(", answer not tried there\n");
    return;
  }
  const double us = rejected ? best_us : at->second;
  const bool bad = rejected || us > default_us * (1 + allowed_behind);
  ++totals.judged;
  totals.bad += bad ? 1 : 0;
  totals.answer_loss += us / best_us - 1;
  totals.default_loss += default_us / best_us - 1;
  totals.near += answer->entry != nullptr ? 1 : 0;
  fmt::print(", answer {:+6.2f} %, expected {:+6.2f} %{}\n", 100 * (us / best_us - 1), 100 * answer->expected_loss,
             rejected ? "  REJECTED THERE"
             : bad    ? "  WORSE THAN THE DEFAULT"
                      : "");
}

int run(const std::string& path, const std::string& gpu) {
  const spec::Catalog catalog = spec::Catalog::load({TUNER_SOURCE_DIR "/kernel_templates"});
  const store::KernelKnowledge kernels = exporting::knowledge_of(catalog);
  const store::Store store = store::Store::open(path, store::Store::Mode::read_only);
  std::vector<Tuned> all;
  for (Entry& entry : store::export_results(store)) {
    if (entry.emulated || entry.result.winner == 0 || !store::contains_blind(entry.gpu.name, gpu)) continue;
    if (catalog.find(entry.result.problem.kernel) == nullptr) continue;
    all.push_back(tuned_of(store, std::move(entry)));
  }
  Totals totals;
  for (const Tuned& held : all) replay(all, held, kernels, totals);
  fmt::print("{} held-out problems, {} judged ({} by a neighbour), {} worse than the default by over {} %",
             totals.shapes, totals.judged, totals.near, totals.bad, 100 * allowed_behind);
  if (totals.judged > 0)
    fmt::print("; mean loss of the answer {:.2f} %, of the default {:.2f} %", 100 * totals.answer_loss / totals.judged,
               100 * totals.default_loss / totals.judged);
  fmt::print("\n");
  return totals.bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace tuner

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fmt::print(stderr, "held_out DATABASE [GPU]\n");
    return 2;
  }
  try {
    return tuner::run(argv[1], argc == 3 ? argv[2] : "");
  } catch (const std::exception& failure) {
    fmt::print(stderr, "error: {}\n", failure.what());
    return 2;
  }
}
