#include "tune/timing.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/error.h"
#include "core/statistics.h"
#include "measure/race.h"
#include "tune/beside.h"
#include "tune/costs.h"
#include "tune/plausible.h"

namespace tuner::tune {
namespace {

void load_candidates(CandidateSet& set, Session& session, std::vector<int>& racing) {
  for (std::size_t i = 0; i < set.all.size(); ++i) {
    Candidate& candidate = set.all[i];
    if (candidate.trial.status != Status::verified) continue;
    worker::Member member;
    member.id = member.module = static_cast<int>(i) + 1;
    member.execution = candidate.execution;
    const worker::Recorded recorded = session.bench->load_member(member);
    if (!recorded.problem.empty()) {
      candidate.trial.status = Status::rejected;
      candidate.trial.reason = Reason::launch_error;
      candidate.trial.detail = recorded.problem;
      continue;
    }
    racing.push_back(static_cast<int>(i));
  }
}

// The default may be a duplicate: then its original stands for it.
bool is_default(const CandidateSet& set, int index) {
  for (std::size_t i = 0; i < set.all.size(); ++i)
    if (set.all[i].trial.is_default) return static_cast<int>(i) == index || set.all[i].original == index;
  return false;
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

// Rows of paired samples by member id, every member once a round; the last one is the first one's twin.
std::vector<std::vector<double>> paired(Session& session, const std::vector<int>& ids) {
  using Clock = std::chrono::steady_clock;
  const measure::FinalOptions options;
  std::vector<std::vector<double>> rows(ids.size());
  std::optional<Clock::time_point> last_start;
  do {
    const auto start = Clock::now();
    for (int round = 0; round < options.rounds; ++round) {
      const auto us = session.bench->client().round(ids, 1000 + rows.front().size());
      for (std::size_t i = 0; i < ids.size(); ++i) rows[i].push_back(us[i]);
    }
    if (!last_start) last_start = start + options.most_time;
  } while (!measure::enough_rounds(rows.front(), rows.back(), options) && Clock::now() < *last_start);
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
    candidate.trial.status = Status::rejected;
    candidate.trial.reason = verdict.reason;
    candidate.trial.detail = verdict.detail;
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
  worker::Member member;
  member.id = member.module = index + 1;
  member.workload = candidate.workload;
  member.execution = candidate.execution;
  try {
    const worker::Recorded recorded = session.bench->load_member(member);
    if (!recorded.problem.empty()) return {Reason::launch_error, recorded.problem};
    session.bench->client().round({member.id}, 1);
    session.bench->drop_member(member.id);
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
  Extras extras = load_extras(request, set.all.front().execution, session);
  timing.notes = extras.notes;
  std::vector<int> racing;
  load_candidates(set, session, racing);
  Costs costs(*request.planned, session.gpu());
  if (const std::string note = costs.leave_out(set, racing); !note.empty()) timing.notes.push_back(note);
  while (!racing.empty() && !request.stop()) {
    const std::vector<int> finalists = select(set, session, request, racing, costs);
    if (finalists.empty() || request.stop()) break;
    FinalRows rows = run_finals(set, session, finalists, extras);
    if (extras.narrow && outruns(best_median(rows.finalists), best_median(rows.with_x) * extras.scale)) {
      widen(extras, *request.planned, *request.workload, session);
      rows = run_finals(set, session, finalists, extras);
    }
    store_finals(set, finalists, rows);
    note_ceiling(timing, extras, rows);
    const auto too_fast = [&](int i) {
      return beats(set.all[static_cast<std::size_t>(i)].trial, timing.ceiling.probe_us);
    };
    timing.too_fast = !request.ring_doubled && std::any_of(finalists.begin(), finalists.end(), too_fast);
    if (timing.too_fast) return timing;
    if (reject_unearned(set, session, finalists, *request.workload, timing.ceiling.probe_us)) {
      // It may have driven others out: all race again without it.
      const auto gone = [&](int i) { return set.all[static_cast<std::size_t>(i)].trial.status == Status::rejected; };
      racing.erase(std::remove_if(racing.begin(), racing.end(), gone), racing.end());
      continue;
    }
    const Trial& best = set.all[static_cast<std::size_t>(finalists.front())].trial;
    timing.noise_floor = costs.noise(finalists.front(), best.time_us, timing.noise_floor);
    measure::CostOf cost;
    if (!costs.of_times())
      cost = [&](int i, double us) { return costs.at(finalists[static_cast<std::size_t>(i)], us); };
    const auto decision =
        measure::decide(rows.finalists, tie_keys(set, finalists, request.incumbent), timing.noise_floor, cost);
    for (std::size_t i = 0; i < decision.cost.size(); ++i)
      set.all[static_cast<std::size_t>(finalists[i])].trial.cost = decision.cost[i];
    timing.margin = decision.margin;
    timing.finalists = finalists;
    if (decision.winner >= 0) timing.winner = finalists[static_cast<std::size_t>(decision.winner)];
    for (int i : decision.tied) timing.tied.push_back(finalists[static_cast<std::size_t>(i)]);
    break;
  }
  timing.after = session.bench->client().conditions();
  fill_duplicates(set);
  return timing;
}

}  // namespace tuner::tune
