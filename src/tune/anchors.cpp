#include "tune/anchors.h"

#include <algorithm>
#include <random>
#include <set>

#include "core/hash.h"

namespace tuner::tune {
namespace {

// In JSON. Duplicates answer through their originals.
std::vector<std::string> best_of(const Problem& anchor, const std::string& regime, const GpuFacts& gpu,
                                 const store::Store& store) {
  std::vector<std::pair<double, std::string>> timed;
  for (const Trial& trial : store.trials(gpu, anchor, regime))
    if (trial.time_us > 0 && (trial.status == Status::measured || trial.status == Status::eliminated))
      timed.emplace_back(trial.cost > 0 ? trial.cost : trial.time_us, to_json(trial.config));
  std::sort(timed.begin(), timed.end());
  if (timed.size() > best_of_an_anchor) timed.resize(best_of_an_anchor);
  std::vector<std::string> best;
  for (auto& [cost, config] : timed) best.push_back(std::move(config));
  return best;
}

// Moves up to `wanted` of `rest` into `chosen`.
void draw(std::vector<std::string> rest, std::size_t wanted, const Problem& problem, std::set<std::string>& chosen) {
  std::mt19937_64 random(
      std::stoull(content_hash(problem.kernel + " " + shape_text(problem.dims)).substr(0, 15), nullptr, 16));
  for (std::size_t drawn = 0; drawn < wanted && drawn < rest.size(); ++drawn) {
    std::swap(rest[drawn], rest[drawn + random() % (rest.size() - drawn)]);
    chosen.insert(rest[drawn]);
  }
}

}  // namespace

std::vector<Config> asked_for(const spec::PlannedProblem& planned, const std::string& regime, const GpuFacts& gpu,
                              const store::Store& store) {
  const spec::KernelSpec& kernel = *planned.kernel;
  std::vector<Config> all = kernel.space.all(spec::base_scope(kernel, planned.problem, gpu), planned.only);
  if (planned.anchors.empty()) return all;
  std::set<std::string> chosen;
  for (const Problem& anchor : planned.anchors)
    for (std::string& config : best_of(anchor, regime, gpu, store)) chosen.insert(std::move(config));
  if (const auto standard = spec::default_config(kernel, planned.problem, gpu)) chosen.insert(to_json(*standard));
  std::vector<std::string> rest;
  for (const Config& config : all)
    if (std::string text = to_json(config); chosen.count(text) == 0) rest.push_back(std::move(text));
  draw(std::move(rest), drawn_beside, planned.problem, chosen);
  std::erase_if(all, [&](const Config& config) { return chosen.count(to_json(config)) == 0; });
  return all;
}

std::int64_t most_asked_for(const spec::PlannedProblem& planned, const GpuFacts& gpu) {
  const auto scope = spec::base_scope(*planned.kernel, planned.problem, gpu);
  std::int64_t all = 0;
  planned.kernel->space.for_each(scope, planned.only, [&](const Config&) {
    ++all;
    return true;
  });
  if (planned.anchors.empty()) return all;
  return std::min(all, static_cast<std::int64_t>(planned.anchors.size() * best_of_an_anchor + 1 + drawn_beside));
}

void keep_asked_for(CandidateSet& set, const spec::PlannedProblem& planned, const std::string& regime,
                    const GpuFacts& gpu, const store::Store& store) {
  if (planned.anchors.empty()) return;
  std::set<std::string> wanted;
  for (const Config& config : asked_for(planned, regime, gpu, store)) wanted.insert(to_json(config));
  const auto left_out =
      std::erase_if(set.all, [&](const Candidate& each) { return wanted.count(to_json(each.trial.config)) == 0; });
  if (left_out > 0) set.excluded["not among the best at the anchors, nor drawn"] += static_cast<std::int64_t>(left_out);
}

}  // namespace tuner::tune
