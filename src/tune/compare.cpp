#include "tune/compare.h"

#include <array>
#include <chrono>

#include "compile/occupancy.h"
#include "compile/render.h"
#include "core/error.h"
#include "tune/candidates.h"
#include "tune/load_candidate.h"
#include "tune/timing.h"
#include "tune/verify_all.h"
#include "tune/workloads.h"

namespace tuner::tune {
namespace {

constexpr int workloads_apart = 1024;  // A's and B's own and awkward ones

constexpr int most_seats = 4;

// What is loaded of one side.
struct Side {
  Candidate candidate;
  CandidateSet set;  // its awkward problems
  Artifact artifact;
  Workload workload;
  std::optional<Artifact> reference;
};

std::string why_not(const Side& side, const Session& session, Reason& reason) {
  if (!side.artifact.ok()) {
    reason = side.artifact.reason;
    return side.artifact.log;
  }
  if (session.emulated()) return {};
  const auto fault = compile::cannot_run(side.artifact, side.candidate.execution, session.gpu());
  if (fault) reason = fault->reason;
  return fault ? fault->detail : std::string();
}

Side built(const Contender& contender, Session& session) {
  const spec::PlannedProblem& planned = contender.planned;
  Side side;
  side.set = without_candidates(planned, session.gpu());
  side.candidate = candidate_of(planned, contender.config, side.set, session.gpu());
  const compile::Source source = compile::render(*planned.kernel, contender.config, planned.problem, session.gpu());
  side.candidate.source_hash = source.hash;
  session.builder->build({source}, [](std::size_t, std::size_t) {});
  if (!session.builder->has(source.hash)) throw Interrupted();
  side.artifact = session.builder->at(source.hash);
  side.workload = workload_of(planned, session);
  side.reference = reference_module(*planned.kernel, session);
  return side;
}

Verdict judged(const Side& side, const Session& session) {
  Verdict verdict;
  verdict.detail = why_not(side, session, verdict.reason);
  return verdict;
}

std::string hash_of(const std::optional<Artifact>& reference) {
  return reference ? reference->cubin_hash : std::string();
}

bool same_work(const Side& a, const Side& b) {
  return to_json(a.workload) == to_json(b.workload) && hash_of(a.reference) == hash_of(b.reference);
}

bool same_binary(const Side& a, const Side& b) {
  return !a.artifact.cubin_hash.empty() && a.artifact.cubin_hash == b.artifact.cubin_hash &&
         to_json(a.candidate.execution) == to_json(b.candidate.execution);
}

// Both on the same data where they have the same problem. The awkward ones lie behind each side's own id.
void set_workloads(Side& a, Side& b, const std::string& regime, Session& session) {
  const bool timed = !session.emulated();
  Side* sides[] = {&a, &b};
  for (int i = 0; i < 2; ++i) {
    Side& side = *sides[i];
    const int first = i * workloads_apart;
    side.candidate.workload = i == 1 && same_work(a, b) ? 0 : first;
    if (side.candidate.workload == first)
      session.bench->set_workload(first, side.workload, timed, side.reference, ring_of(regime));
    for (std::size_t k = 0; k < side.set.awkward.size(); ++k) {
      Workload awkward = side.set.awkward[k];
      awkward.reference.file = side.workload.reference.file;
      session.bench->set_workload(first + 1 + static_cast<int>(k), awkward, false, side.reference);
    }
    for (worker::Case& each : side.candidate.awkward) each.workload += first;
  }
}

struct Wrong {
  bool of_b = false;
  Verdict verdict;
};

// A, B and their twins in the worker; module and member ids are the place + 1.
class Seats : public measure::Rounds {
 public:
  Seats(const Side& a, const Side& b, Session& session, const DuelOptions& options)
      : session_(session), options_(options), candidates_{a.candidate, b.candidate, a.candidate, b.candidate} {
    for (Candidate& candidate : candidates_) candidate.awkward.clear();  // they have passed those
    for (const std::size_t twin : {2, 3}) candidates_[twin].clean_epoch = -1;
  }

  // Every second time B first. Throws Wrong where one does not pass again.
  void place(int batch) override {
    stop();
    if (batch > 0) session_.bench->client().bye();
    session_.bench->client();
    for (const int seat : batch % 2 == 0 ? std::array{0, 1, 2, 3} : std::array{1, 0, 3, 2}) {
      Candidate& candidate = candidates_[static_cast<std::size_t>(seat)];
      if (candidate.clean_epoch != session_.bench->epoch()) check(seat, verify_one(candidate, seat, session_));
      check(seat, load_candidate(candidate, seat, session_));
    }
    batch_begin_ = true;
  }

  measure::Round next(std::uint64_t seed) override {
    stop();
    const std::vector<int> ids{1, 3, 2, 4};
    if (batch_begin_) session_.bench->client().round(ids, 0);  // clocks rise
    batch_begin_ = false;
    const std::vector<double> us = session_.bench->client().round(ids, seed);
    return {us[0], us[1], us[2], us[3]};
  }

  bool out_of_time() override { return std::chrono::steady_clock::now() - begin_ > limit(); }

  // The outputs of the last replay.
  void check_outputs() {
    for (const int seat : {0, 1})
      check(seat, session_.bench->client().check_timed(seat + 1, candidates_[static_cast<std::size_t>(seat)].chain));
  }

 private:
  std::chrono::duration<double> limit() const { return std::chrono::duration<double>(options_.max_time_s); }
  void stop() const {
    if (options_.stop && options_.stop()) throw Interrupted();
  }
  static void check(int seat, const Verdict& verdict) {
    if (!verdict.ok()) throw Wrong{seat % 2 == 1, verdict};
  }

  Session& session_;
  const DuelOptions& options_;
  std::array<Candidate, most_seats> candidates_;
  bool batch_begin_ = true;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Verified and timed with nobody beside it.
Verdict alone(const Side& side, int seat, Session& session) {
  Candidate candidate = side.candidate;
  candidate.awkward.clear();
  Verdict verdict = verify_one(candidate, seat, session);
  if (verdict.ok()) verdict = time_one(candidate, seat, session);
  return verdict;
}

// Where a worker is lost, who loses it alone as well is charged; where nobody does, all is repeated once.
void time_both(const Side& a, const Side& b, Session& session, const DuelOptions& options, Duel& result) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      Seats seats(a, b, session, options);
      result.result = measure::compare(seats, options.rules);
      seats.check_outputs();
      result.timed = true;
      result.failure.clear();
      return;
    } catch (const Wrong& wrong) {
      (wrong.of_b ? result.b : result.a) = wrong.verdict;
      return;
    } catch (const worker::WorkerLost& lost) {
      session.bench->lost();
      result.failure = lost.what();
    }
    result.a = alone(a, 0, session);
    result.b = alone(b, 1, session);
    if (!result.a.ok() || !result.b.ok()) return result.failure.clear();
  }
}

void forget(Session& session) {
  Bench& bench = *session.bench;
  try {
    bench.drop_members(most_seats + 1);
    bench.drop_modules(most_seats + 1);
    bench.drop_workloads();
  } catch (const worker::WorkerLost&) {
    bench.lost();
  }
}

}  // namespace

Duel duel(const Contender& a, const Contender& b, Session& session, const DuelOptions& options) {
  Duel result;
  Side of_a = built(a, session), of_b = built(b, session);
  result.a = judged(of_a, session);
  result.b = judged(of_b, session);
  result.same_binary = same_binary(of_a, of_b);
  if (!result.a.ok() || !result.b.ok() || (result.same_binary && options.only_changed)) return result;
  forget_too_large(of_a.candidate, of_a.artifact, session.gpu());
  forget_too_large(of_b.candidate, of_b.artifact, session.gpu());
  set_workloads(of_a, of_b, a.planned.kernel->regime, session);
  result.a = verify_one(of_a.candidate, 0, session);
  result.b = verify_one(of_b.candidate, 1, session);
  if (result.a.ok() && result.b.ok() && !session.emulated()) time_both(of_a, of_b, session, options, result);
  forget(session);
  return result;
}

}  // namespace tuner::tune
