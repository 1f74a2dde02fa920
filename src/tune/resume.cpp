#include "tune/resume.h"

#include <fmt/core.h>

#include <map>

namespace tuner::tune {
namespace {

// Tried once more by itself before it was charged: both strikes at once.
int strikes_of(const Trial& trial) { return trial.reason == Reason::worker_lost ? strikes_out : 1; }

bool is_verdict(const Trial& trial) {
  switch (trial.status) {
    case Status::verified:
    case Status::measured:
    case Status::eliminated:
      return true;
    case Status::rejected:
      return !trial.cubin_hash.empty();  // what did not compile comes from the cubin cache
    default:
      return false;
  }
}

void adopt(Candidate& candidate, const Trial& earlier) {
  Trial& trial = candidate.trial;
  trial.id = earlier.id;
  trial.status = earlier.status == Status::rejected ? Status::rejected : Status::verified;
  trial.reason = earlier.reason;
  trial.detail = earlier.detail;
  trial.max_err_over_bound = earlier.max_err_over_bound;
  trial.max_rel_err = earlier.max_rel_err;
  trial.exact_only = earlier.exact_only;
  trial.seconds = earlier.seconds;
  candidate.stands = true;
  candidate.awkward.clear();  // only its own problem is looked at again, by the worker that times it
}

}  // namespace

int refuse_killers(CandidateSet& set, const std::vector<Trial>& deadly, std::size_t first) {
  std::map<std::string, std::vector<const Trial*>> by_config;
  for (const Trial& trial : deadly) by_config[to_json(trial.config)].push_back(&trial);
  int refused = 0;
  for (std::size_t i = first; i < set.all.size(); ++i) {
    Candidate& candidate = set.all[i];
    const auto known = by_config.find(to_json(candidate.trial.config));
    if (known == by_config.end()) continue;
    int strikes = 0;
    std::string trials;
    const Trial* last = nullptr;
    for (const Trial* trial : known->second) {
      if (trial->source_hash != candidate.source_hash) continue;
      strikes += strikes_of(*trial);
      trials += (trials.empty() ? "" : ", ") + std::to_string(trial->id);
      last = trial;
    }
    if (strikes < strikes_out) continue;
    candidate.trial.status = Status::rejected;
    candidate.trial.reason = last->reason == Reason::none ? Reason::worker_lost : last->reason;
    candidate.trial.detail =
        fmt::format("not run again: it cost a process before (trial {}); --again runs it once more", trials);
    candidate.trial.source_hash = candidate.source_hash;
    ++refused;
  }
  return refused;
}

int take_over(CandidateSet& set, const std::vector<Trial>& unfinished, std::size_t first) {
  std::map<std::string, const Trial*> by_config;
  for (const Trial& trial : unfinished)
    if (is_verdict(trial)) by_config[to_json(trial.config)] = &trial;
  int taken = 0;
  for (std::size_t i = first; i < set.all.size(); ++i) {
    Candidate& candidate = set.all[i];
    const auto known = by_config.find(to_json(candidate.trial.config));
    if (!candidate.runnable() || known == by_config.end()) continue;
    const Trial& earlier = *known->second;
    if (earlier.source_hash != candidate.source_hash || earlier.cubin_hash != candidate.trial.cubin_hash) continue;
    adopt(candidate, earlier);
    ++taken;
  }
  return taken;
}

std::string in_flight_line(const std::vector<Trial>& unfinished) {
  const Trial* first = nullptr;
  int all = 0;
  for (const Trial& trial : unfinished) {
    if (trial.status != Status::started) continue;
    if (++all == 1) first = &trial;
  }
  if (first == nullptr) return {};
  const std::string more = all > 1 ? fmt::format(" (and {} more)", all - 1) : "";
  return fmt::format("an earlier run ended while trial {} was in flight: {}{}: run again", first->id,
                     first->config.label(), more);
}

}  // namespace tuner::tune
