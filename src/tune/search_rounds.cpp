#include "tune/search_rounds.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "measure/race.h"
#include "tune/load_candidate.h"

namespace tuner::tune {
namespace {

// The median of seven ratios is known to half the noise of one sample; who wins is decided by the race of the best.
constexpr int search_rounds = 7;

struct Row {
  int index = 0;
  std::vector<double> us, log_ratios;
};

bool is_time(double us) { return std::isfinite(us) && us > 0; }

// Those that can be recorded; the others are rejected.
std::vector<int> loaded(const std::vector<int>& wanted, CandidateSet& set, Session& session) {
  std::vector<int> there;
  for (const int index : wanted) {
    Candidate& candidate = set.all[static_cast<std::size_t>(index)];
    if (const Verdict recorded = load_candidate(candidate, index, session); recorded.ok())
      there.push_back(index);
    else
      reject(candidate, recorded);
  }
  return there;
}

void fill(Candidate& candidate, const Row& row, const Costs& costs, double cost) {
  Trial& trial = candidate.trial;
  trial.samples_us.assign(row.us.begin(), row.us.end());
  trial.rounds = static_cast<int>(row.us.size());
  trial.time_us = median(row.us);
  trial.spread = spread(row.us);
  trial.cost = costs.of_times() ? 0 : cost;
  candidate.ratio = row.log_ratios.empty() ? std::nan("") : std::exp(median(row.log_ratios));
}

}  // namespace

void time_beside(int anchor, const std::vector<int>& members, double best, CandidateSet& set, Session& session,
                 Costs& costs) {
  std::vector<int> wanted{anchor};
  for (const int index : members)
    if (index != anchor) wanted.push_back(index);
  wanted = loaded(wanted, set, session);
  if (wanted.empty() || wanted.front() != anchor) return;
  std::vector<Row> rows;
  for (const int index : wanted) rows.push_back({index, {}, {}});
  std::vector<std::size_t> running(rows.size());
  for (std::size_t i = 0; i < running.size(); ++i) running[i] = i;
  for (int round = 0; round < search_rounds; ++round) {
    std::vector<int> ids;
    for (const std::size_t i : running) ids.push_back(rows[i].index + 1);
    const auto us =
        session.bench->client().round(ids, static_cast<std::uint64_t>(anchor + rows.back().index + round) + 1);
    const double anchor_cost = costs.at(anchor, us.front());
    for (std::size_t n = 0; n < running.size(); ++n) {
      Row& row = rows[running[n]];
      const double cost = costs.at(row.index, us[n]);
      if (!is_time(us[n]) || !is_time(cost) || !is_time(anchor_cost)) continue;
      row.us.push_back(us[n]);
      row.log_ratios.push_back(std::log(cost / anchor_cost));
      best = std::min(best, cost / anchor_cost);
    }
    const double too_slow = std::log(measure::RaceOptions{}.early_factor * best);
    std::erase_if(running, [&](std::size_t i) {
      return i != 0 && (rows[i].log_ratios.empty() || (round == 0 && rows[i].log_ratios.front() > too_slow));
    });
  }
  for (const Row& row : rows) {
    session.bench->drop_member(row.index + 1);
    if (row.index == anchor && std::find(members.begin(), members.end(), anchor) == members.end()) continue;
    fill(set.all[static_cast<std::size_t>(row.index)], row, costs, costs.at(row.index, median(row.us)));
  }
}

}  // namespace tuner::tune
