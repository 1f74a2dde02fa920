#include "tune/verify_all.h"

#include <chrono>
#include <stdexcept>

#include "core/error.h"
#include "core/problem.h"

namespace tuner::tune {
namespace {

// Seconds for what any kernel of ours needs, and room for the slow stages on the largest matrices and for the judging
// of large results that the device does not find right. The host device shares its CPUs with whatever else runs there:
// on a loaded machine a right configuration takes many times its usual second.
std::chrono::milliseconds deadline_of(const Workload& workload, bool emulated) {
  const double bytes = workload.bytes_read + workload.bytes_written;
  const double slowest_bytes_per_ms = emulated ? 1e3 : 1e6;
  constexpr double slowest_judged_per_ms = 2000;  // over five runs
  double judged = 0;
  for (const Argument& argument : workload.arguments)
    if (argument.is_buffer && is_result(argument.role)) judged += static_cast<double>(argument.elements);
  const int base_ms = emulated ? 30000 : 5000;
  return std::chrono::milliseconds(
      base_ms + static_cast<std::int64_t>(bytes / slowest_bytes_per_ms + judged / slowest_judged_per_ms));
}

void take_verdict(Candidate& candidate, const Verdict& verdict) {
  Trial& trial = candidate.trial;
  trial.reason = verdict.reason;
  trial.detail = verdict.detail;
  trial.max_err_over_bound = verdict.max_err_over_bound;
  trial.max_rel_err = verdict.max_rel_err;
  trial.exact_only = verdict.exact_only || (candidate.stands && trial.exact_only);
  trial.status = verdict.ok() ? Status::verified : Status::rejected;
}

// Before the candidate is there: who is lost now is not its doing. Throws MachineError where it goes on.
void need_workloads(Bench& bench, const Candidate& candidate) {
  for (int lost_before = 0;; ++lost_before) {
    try {
      bench.need_workload(candidate.workload);
      for (const auto& each : candidate.awkward) bench.need_workload(each.workload);
      return;
    } catch (const worker::WorkerLost& lost) {
      bench.lost();
      const int most = lost.timed_out() ? 0 : lost.by_others() ? worker::most_kills_by_others : 1;
      if (lost_before >= most)
        throw MachineError(lost.what(), shape_text(candidate.trial.problem.dims), "run tuner doctor");
    }
  }
}

// Throws WorkerLost.
Verdict verify_in(Bench& bench, const Candidate& candidate, int index, const Session& session) {
  need_workloads(bench, candidate);
  try {
    bench.need_module(index + 1, session.builder->at(candidate.source_hash));
  } catch (const worker::WorkerLost&) {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& refused) {
    return {Reason::launch_error, refused.what()};
  }
  worker::VerifyRequest request;
  request.module = index + 1;
  request.main = {candidate.workload, candidate.execution, candidate.chain, candidate.deterministic};
  request.awkward = candidate.awkward;
  request.deadline = deadline_of(bench.workload(candidate.workload), session.emulated());
  return bench.client().verify(request);
}

// The worker had to be ended: at which shape it was, nobody knows.
std::string late_text(const worker::WorkerLost& lost, const Candidate& candidate) {
  if (candidate.awkward.empty()) return lost.what();
  return std::string(lost.what()) + "; at the shape itself, or at one of the awkward ones: " +
         smaller_awkward(candidate.trial.problem.dims.size());
}

// An error that is no verdict (a workload that does not fit, no worker comes up) is not the candidate's: its row goes
// back to what it was, so that nobody is named as in flight. Where a worker was lost with it before, it may well be.
// Nor is an interruption, which ends nothing but this.
void verify_stored(Candidate& candidate, int index, Session& session, store::Store& store, std::int64_t run) {
  const Status before = candidate.trial.status == Status::verified ? Status::verified : Status::compiled;
  candidate.trial.status = Status::started;
  candidate.trial.id = store.save(run, candidate.trial);
  try {
    const auto begin = std::chrono::steady_clock::now();
    take_verdict(candidate, verify_one(candidate, index, session));
    candidate.trial.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  } catch (const Interrupted&) {
    candidate.trial.status = before;
  } catch (const Error&) {
    if (candidate.workers_lost == 0) {
      candidate.trial.status = before;
      store.save(run, candidate.trial);
    }
    throw;
  }
  store.save(run, candidate.trial);
}

}  // namespace

Verdict verify_one(Candidate& candidate, int index, Session& session) {
  Bench& bench = *session.bench;
  for (int attempts = 0, kills = 0;;) {
    try {
      const Verdict verdict = verify_in(bench, candidate, index, session);
      if (verdict.ok())
        candidate.clean_epoch = bench.epoch();
      else
        bench.drop_module(index + 1);
      return verdict;
    } catch (const worker::WorkerLost& lost) {
      bench.lost();
      if (lost.by_others() && ++kills < worker::most_kills_by_others) continue;
      ++candidate.workers_lost;
      if (lost.timed_out()) return {Reason::timeout, late_text(lost, candidate)};
      // A broken pipe, or what ran in this worker before: charged only when it happens again, in a fresh one.
      if (lost.by_others() || ++attempts > 1) return {Reason::worker_lost, lost.what()};
    }
  }
}

void verify_from(std::size_t first, CandidateSet& set, Session& session, store::Store& store, std::int64_t run,
                 const std::function<bool()>& stop, const Progress& progress) {
  const TimeSpent::Doing doing(*session.spent, Work::verify);
  std::int64_t of = 0, done = 0;
  int rejected = 0;
  for (std::size_t i = first; i < set.all.size(); ++i) of += set.all[i].runnable() ? 1 : 0;
  for (std::size_t i = first; i < set.all.size(); ++i) {
    Candidate& candidate = set.all[i];
    if (!candidate.runnable()) continue;
    if (candidate.trial.status == Status::verified) {  // it stands
      ++done;
      continue;
    }
    if (stop()) {
      candidate.trial.status = Status::compiled;
      continue;
    }
    verify_stored(candidate, static_cast<int>(i), session, store, run);
    rejected += candidate.trial.status == Status::rejected ? 1 : 0;
    progress(++done, of, rejected);
  }
}

void verify_again(CandidateSet& set, Session& session, store::Store& store, std::int64_t run,
                  const std::function<bool()>& stop) {
  verify_again(all_of(set), set, session, store, run, stop);
}

// A worker that died took the good name of those before it along.
void verify_again(const std::vector<int>& which, CandidateSet& set, Session& session, store::Store& store,
                  std::int64_t run, const std::function<bool()>& stop) {
  if (stop()) return;
  const TimeSpent::Doing doing(*session.spent, Work::verify);
  session.bench->client();
  for (std::size_t n = 0; n < which.size(); ++n) {
    Candidate& candidate = set.all[static_cast<std::size_t>(which[n])];
    if (stop() || candidate.trial.status != Status::verified || candidate.clean_epoch == session.bench->epoch())
      continue;
    if (session.emulated() && candidate.stands) continue;  // nothing will be timed
    verify_stored(candidate, which[n], session, store, run);
    if (candidate.trial.status != Status::rejected) continue;
    n = static_cast<std::size_t>(-1);  // the worker may have died again: look through all once more
  }
}

}  // namespace tuner::tune
