#include "tune/timing.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "measure/race.h"
#include "tune/confirm.h"
#include "tune/costs.h"
#include "tune/load_candidate.h"

namespace tuner::tune {
namespace {

void load_candidates(CandidateSet& set, Session& session, std::vector<int>& racing) {
  for (std::size_t i = 0; i < set.all.size(); ++i) {
    Candidate& candidate = set.all[i];
    if (candidate.trial.status != Status::verified) continue;
    if (const Verdict loaded = load_candidate(candidate, static_cast<int>(i), session); !loaded.ok()) {
      reject(candidate, loaded);
      continue;
    }
    racing.push_back(static_cast<int>(i));
  }
}

bool is_pinned(const CandidateSet& set, int index) {
  if (set.pinned < 0) return false;
  const int original = set.all[static_cast<std::size_t>(set.pinned)].original;
  return index == set.pinned || (original >= 0 && index == original);
}

// Interleaved selection; returns the finalists as indices of candidates, best first.
std::vector<int> select(CandidateSet& set, Session& session, const TimingRequest& request,
                        const std::vector<int>& racing, Costs& costs) {
  std::vector<int> anchors;
  for (std::size_t i = 0; i < racing.size(); ++i)
    if (is_default(set, racing[i]) || racing[i] == request.incumbent || is_pinned(set, racing[i]))
      anchors.push_back(static_cast<int>(i));
  const measure::RaceOptions options;
  measure::Race race(static_cast<int>(racing.size()), anchors, options);
  std::vector<std::vector<double>> times(racing.size());
  for (auto asked = race.ask(); !asked.empty() && !request.stop(); asked = race.ask()) {
    std::vector<int> ids;
    for (int i : asked) ids.push_back(racing[static_cast<std::size_t>(i)] + 1);
    const auto us = session.bench->client().round(ids, static_cast<std::uint64_t>(race.rounds()) + 1);
    std::vector<double> ranked_by;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto at = static_cast<std::size_t>(asked[i]);
      ranked_by.push_back(costs.at(racing[at], us[i]));
      if (std::isfinite(ranked_by.back()) && ranked_by.back() > 0) times[at].push_back(us[i]);
    }
    race.tell(ranked_by);
    request.progress(race.rounds(), options.max_rounds, *std::min_element(us.begin(), us.end()));
  }
  for (std::size_t i = 0; i < racing.size(); ++i) {
    Trial& trial = set.all[static_cast<std::size_t>(racing[i])].trial;
    const auto& samples = times[i];
    trial.samples_us.assign(samples.begin(), samples.end());
    trial.rounds = static_cast<int>(samples.size());
    trial.finalist = false;
    trial.time_us = median(samples);
    trial.spread = spread(samples);
    trial.cost = costs.of_times() ? 0 : costs.at(racing[i], trial.time_us);
    trial.status = race.left_early(static_cast<int>(i)) ? Status::eliminated : Status::measured;
  }
  std::vector<int> finalists;
  for (int i : race.finalists()) finalists.push_back(racing[static_cast<std::size_t>(i)]);
  return finalists;
}

void fill_duplicates(CandidateSet& set) {
  for (auto& candidate : set.all) {
    if (candidate.original < 0) continue;
    const Candidate& original = set.all[static_cast<std::size_t>(candidate.original)];
    candidate.trial.duplicate_of = original.trial.id;
    candidate.trial.time_us = original.trial.time_us;
    candidate.trial.spread = original.trial.spread;
    candidate.trial.max_err_over_bound = original.trial.max_err_over_bound;
    candidate.trial.max_rel_err = original.trial.max_rel_err;
    candidate.trial.reason = original.trial.reason;
  }
}

}  // namespace

Verdict time_one(Candidate& candidate, int index, Session& session) {
  try {
    if (Verdict loaded = load_candidate(candidate, index, session); !loaded.ok()) return loaded;
    session.bench->client().round({index + 1}, 1);
    session.bench->drop_member(index + 1);
    return {};
  } catch (const worker::WorkerLost& lost) {
    session.bench->lost();
    if (lost.by_others()) throw;
    return {lost.timed_out() ? Reason::timeout : Reason::worker_lost, lost.what()};
  }
}

Timing time_candidates(CandidateSet& set, Session& session, const TimingRequest& request) {
  const TimeSpent::Doing doing(*session.spent, Work::time);
  Timing timing;
  timing.before = session.bench->client().conditions();
  std::vector<int> racing;
  load_candidates(set, session, racing);
  Costs costs(*request.planned, session.gpu());
  if (const std::string note = costs.leave_out(set, racing); !note.empty()) timing.notes.push_back(note);
  if (!racing.empty() && !request.stop()) {
    const std::vector<int> finalists = select(set, session, request, racing, costs);
    if (!finalists.empty() && !request.stop()) confirm(finalists, set, session, request, costs, timing);
  }
  timing.after = session.bench->client().conditions();
  fill_duplicates(set);
  return timing;
}

}  // namespace tuner::tune
