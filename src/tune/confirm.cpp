#include "tune/confirm.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/statistics.h"
#include "measure/race.h"
#include "tune/beside.h"
#include "tune/load_candidate.h"
#include "tune/plausible.h"
#include "tune/verify_all.h"

namespace tuner::tune {
namespace {

// Other than what the race ran on.
constexpr std::uint64_t confirmation_data = 1;

// At the problem itself; the awkward ones they have passed. Whoever loses the worker takes the good name of those
// before it along. False where one was rejected.
bool verify_afresh(const std::vector<int>& finalists, CandidateSet& set, Session& session,
                   const std::function<bool()>& stop) {
  const TimeSpent::Doing doing(*session.spent, Work::verify);
  bool all_right = true;
  session.bench->client();
  for (std::size_t n = 0; n < finalists.size() && !stop(); ++n) {
    const int index = finalists[n], epoch = session.bench->epoch();
    Candidate& candidate = set.all[static_cast<std::size_t>(index)];
    if (candidate.trial.status == Status::rejected || candidate.clean_epoch == epoch) continue;
    Candidate alone = candidate;
    alone.awkward.clear();
    const Verdict verdict = verify_one(alone, index, session);
    candidate.clean_epoch = alone.clean_epoch;
    candidate.workers_lost = alone.workers_lost;
    if (!verdict.ok()) {
      reject(candidate, {verdict.reason, "in a fresh worker, on other data: " + verdict.detail});
      all_right = false;
    }
    if (session.bench->epoch() != epoch) n = static_cast<std::size_t>(-1);
  }
  return all_right;
}

bool load_finalists(const std::vector<int>& finalists, CandidateSet& set, Session& session) {
  bool all_there = true;
  for (const int index : finalists) {
    Candidate& candidate = set.all[static_cast<std::size_t>(index)];
    const Verdict loaded = load_candidate(candidate, index, session);
    if (loaded.ok()) continue;
    reject(candidate, loaded);
    all_there = false;
  }
  return all_there;
}

// Rows of paired samples by member id, every member once a round; the last one is the first one's twin.
std::vector<std::vector<double>> paired(Session& session, const std::vector<int>& ids) {
  using Steady = std::chrono::steady_clock;
  const measure::FinalOptions options;
  std::vector<std::vector<double>> rows(ids.size());
  std::optional<Steady::time_point> last_start;
  do {
    const auto start = Steady::now();
    for (int round = 0; round < options.rounds; ++round) {
      const auto us = session.bench->client().round(ids, 1000 + rows.front().size());
      for (std::size_t i = 0; i < ids.size(); ++i) rows[i].push_back(us[i]);
    }
    if (!last_start) last_start = start + options.most_time;
  } while (!measure::enough_rounds(rows.front(), rows.back(), options) && Steady::now() < *last_start);
  return rows;
}

std::vector<measure::TieKey> tie_keys(const CandidateSet& set, const std::vector<int>& finalists, int incumbent) {
  std::vector<measure::TieKey> keys;
  for (int index : finalists) {
    const Candidate& candidate = set.all[static_cast<std::size_t>(index)];
    std::int64_t threads = 0, shared = 0;
    for (const auto& step : candidate.trial.steps) {
      threads = std::max(threads, step.block.x * step.block.y * step.block.z);
      shared = std::max(shared, step.shared_bytes + candidate.trial.static_shared_bytes);
    }
    keys.push_back({index == incumbent, is_default(set, index), candidate.trial.registers * threads, shared, index,
                    candidate.deterministic});
  }
  return keys;
}

// Whether somebody is so much faster than the best of the likely probes that a better one may be among the others.
bool outruns(double best_us, double probe_us) { return best_us > 0 && best_us < 0.995 * probe_us; }

struct FinalRows {
  std::vector<std::vector<double>> finalists, with_x, without_x, vendor, own;
  std::vector<double> twin;
};

FinalRows run_finals(CandidateSet& set, Session& session, const std::vector<int>& finalists, const Extras& extras) {
  worker::Member twin;
  twin.id = twin_id;
  twin.module = finalists.front() + 1;
  twin.execution = set.all[static_cast<std::size_t>(finalists.front())].execution;
  session.bench->load_member(twin);
  std::vector<int> ids;
  for (int index : finalists) ids.push_back(index + 1);
  for (const auto& probe : extras.with_x) ids.push_back(probe.member.id);
  for (const auto& probe : extras.without_x) ids.push_back(probe.member.id);
  for (int id : extras.vendor) ids.push_back(id);
  for (const auto& own : extras.own) ids.push_back(own.id);
  ids.push_back(twin_id);
  auto rows = paired(session, ids);
  FinalRows out;
  auto next = rows.begin();
  const auto take = [&](std::size_t count) {
    std::vector<std::vector<double>> part(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
    return part;
  };
  out.finalists = take(finalists.size());
  out.with_x = take(extras.with_x.size());
  out.without_x = take(extras.without_x.size());
  out.vendor = take(extras.vendor.size());
  out.own = take(extras.own.size());
  out.twin = take(1).front();
  session.bench->drop_member(twin_id);
  return out;
}

double best_median(const std::vector<std::vector<double>>& rows, std::size_t* which = nullptr) {
  double best = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double us = median(rows[i]);
    if (best > 0 && us >= best) continue;
    best = us;
    if (which) *which = i;
  }
  return best;
}

void store_finals(CandidateSet& set, const std::vector<int>& finalists, const FinalRows& rows) {
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    Trial& trial = set.all[static_cast<std::size_t>(finalists[i])].trial;
    trial.samples_us.assign(rows.finalists[i].begin(), rows.finalists[i].end());
    trial.rounds = static_cast<int>(rows.finalists[i].size());
    trial.time_us = median(rows.finalists[i]);
    trial.spread = spread(rows.finalists[i]);
    trial.finalist = true;
  }
}

// The timed outputs of every finalist, and the speed that nothing right can have.
bool reject_unearned(CandidateSet& set, Session& session, const std::vector<int>& finalists, const Workload& workload,
                     double probe_us) {
  bool rejected = false;
  for (int index : finalists) {
    Candidate& candidate = set.all[static_cast<std::size_t>(index)];
    Verdict verdict = session.bench->client().check_timed(index + 1, candidate.chain);
    const auto why = implausible(candidate.trial, workload, probe_us, session.gpu());
    if (verdict.ok() && why) verdict = {Reason::implausible, *why};
    if (verdict.ok()) continue;
    reject(candidate, verdict);
    rejected = true;
  }
  return rejected;
}

std::vector<Baseline> vendor_baselines(const FinalRows& rows) {
  if (rows.vendor.empty()) return {};
  std::size_t which = 0;
  const double us = best_median(rows.vendor, &which);
  return {{"cublas", us, spread(rows.vendor[which]),
           which == 0 ? "cublasGemmEx, op T, A as the left operand" : "cublasGemmEx, op T, x as the left operand"}};
}

void note_ceiling(Timing& timing, const Extras& extras, const FinalRows& rows) {
  std::size_t chosen = 0;
  timing.ceiling.probe_us = best_median(rows.with_x, &chosen) * extras.scale;
  timing.ceiling.probe_no_x_us = best_median(rows.without_x);
  if (!extras.with_x.empty()) timing.ceiling.probe_config = extras.with_x[chosen].config.label();
  timing.baselines = vendor_baselines(rows);
  for (std::size_t i = 0; i < extras.own.size(); ++i)
    timing.baselines.push_back({extras.own[i].name, median(rows.own[i]), spread(rows.own[i]), extras.own[i].how});
  timing.noise_floor = measure::noise_floor(rows.finalists.front(), rows.twin);
}

// Whether somebody who is no finalist was so much faster in the race than the winner is now that the race was of other
// things than what holds here. The default, which ran in both, is the measure.
bool is_overtaken(const CandidateSet& set, const std::vector<int>& finalists, const std::vector<double>& race_us,
                  const Timing& timing, Costs& costs) {
  constexpr double in_doubt = 0.02;  // few rounds of another worker say no more than that
  const auto standard = std::find_if(finalists.begin(), finalists.end(), [&](int i) { return is_default(set, i); });
  if (standard == finalists.end() || timing.winner < 0) return false;
  const auto us_of = [&](int index) { return set.all[static_cast<std::size_t>(index)].trial.time_us; };
  const double scale = us_of(*standard) / race_us[static_cast<std::size_t>(standard - finalists.begin())];
  const double best = costs.at(timing.winner, us_of(timing.winner));
  for (std::size_t i = 0; i < set.all.size(); ++i) {
    const Trial& trial = set.all[i].trial;
    const bool raced = trial.status == Status::measured || trial.status == Status::eliminated;
    if (!raced || trial.finalist || set.all[i].sampled) continue;
    if (costs.at(static_cast<int>(i), trial.time_us * scale) < best * (1 - in_doubt - timing.margin)) return true;
  }
  return false;
}

void decide(const std::vector<int>& finalists, const FinalRows& rows, CandidateSet& set, int incumbent, Costs& costs,
            Timing& timing) {
  const Trial& best = set.all[static_cast<std::size_t>(finalists.front())].trial;
  timing.noise_floor = costs.noise(finalists.front(), best.time_us, timing.noise_floor);
  measure::CostOf cost;
  if (!costs.of_times()) cost = [&](int i, double us) { return costs.at(finalists[static_cast<std::size_t>(i)], us); };
  const auto decision = measure::decide(rows.finalists, tie_keys(set, finalists, incumbent), timing.noise_floor, cost);
  for (std::size_t i = 0; i < decision.cost.size(); ++i)
    set.all[static_cast<std::size_t>(finalists[i])].trial.cost = decision.cost[i];
  timing.margin = decision.margin;
  timing.finalists = finalists;
  if (decision.winner >= 0) timing.winner = finalists[static_cast<std::size_t>(decision.winner)];
  for (int i : decision.tied) timing.tied.push_back(finalists[static_cast<std::size_t>(i)]);
}

}  // namespace

void confirm(const std::vector<int>& finalists, CandidateSet& set, Session& session, const TimingRequest& request,
             Costs& costs, Timing& timing) {
  session.bench->renew(confirmation_data);
  timing.again = !verify_afresh(finalists, set, session, request.stop);
  if (timing.again || request.stop()) return;
  Extras extras = load_extras(request, set.all.front().execution, session);
  timing.notes.insert(timing.notes.end(), extras.notes.begin(), extras.notes.end());
  timing.again = !load_finalists(finalists, set, session);
  if (timing.again) return;
  timing.before = session.bench->client().conditions();
  FinalRows rows = run_finals(set, session, finalists, extras);
  if (extras.narrow && outruns(best_median(rows.finalists), best_median(rows.with_x) * extras.scale)) {
    widen(extras, *request.planned, *request.workload, session);
    rows = run_finals(set, session, finalists, extras);
  }
  std::vector<double> race_us;
  for (const int index : finalists) race_us.push_back(set.all[static_cast<std::size_t>(index)].trial.time_us);
  store_finals(set, finalists, rows);
  note_ceiling(timing, extras, rows);
  const auto too_fast = [&](int i) {
    return beats(set.all[static_cast<std::size_t>(i)].trial, timing.ceiling.probe_us);
  };
  timing.too_fast = !request.ring_doubled && std::any_of(finalists.begin(), finalists.end(), too_fast);
  if (timing.too_fast) return;
  timing.again = reject_unearned(set, session, finalists, *request.workload, timing.ceiling.probe_us);
  if (timing.again) return;
  decide(finalists, rows, set, request.incumbent, costs, timing);
  timing.overtaken = !request.raced_again && is_overtaken(set, finalists, race_us, timing, costs);
}

}  // namespace tuner::tune
