#include "tune/tune_problem.h"

#include <algorithm>
#include <chrono>

#include "compile/bare_code.h"
#include "core/error.h"
#include "spec/metrics.h"
#include "store/ladder.h"
#include "tune/anchors.h"
#include "tune/build_candidates.h"
#include "tune/resume.h"
#include "tune/run_alone.h"
#include "tune/search_problem.h"
#include "tune/sized_probe.h"
#include "tune/timing.h"
#include "tune/verify_all.h"
#include "tune/workloads.h"

namespace tuner::tune {
namespace {

double gb_per_s(double bytes, double us) { return us > 0 ? bytes / us / 1e3 : 0; }

void unload(const CandidateSet& set, const ProblemContext& context) {
  Bench& bench = *context.session.bench;
  try {
    bench.drop_members(sustained_ids);
    bench.drop_modules(sustained_ids);
    for (std::size_t i = 0; i <= set.awkward.size(); ++i) bench.drop_workload(static_cast<int>(i));
    bench.drop_workload(sized_workload);
    drop_rivals(context.session);
  } catch (const worker::WorkerLost&) {
    bench.lost();
  }
}

void back_to_verified(CandidateSet& set) {
  for (auto& candidate : set.all)
    if (!candidate.sampled &&
        (candidate.trial.status == Status::measured || candidate.trial.status == Status::eliminated))
      candidate.trial.status = Status::verified;
}

// Twice the rotating copies, so that nothing can be left in a cache, and everyone verified on them.
void double_ring(CandidateSet& set, TimingRequest& request, const ProblemContext& context) {
  context.observer.on_warning("a kernel was faster than its probe: verified and timed again with twice the copies");
  Bench& bench = *context.session.bench;
  bench.drop_members(sustained_ids);
  bench.multiply_copies(0, 2);
  request.ring_doubled = true;
  back_to_verified(set);
  for (auto& candidate : set.all) candidate.clean_epoch = -1;
  verify_again(set, context.session, context.store, context.run, context.stop);
}

// Times what verified. A worker lost in it: everyone runs alone in a fresh one, who fails again is charged, and the
// rounds are repeated; where nobody is charged, once. Where others killed it nobody is asked.
Timing time_with_retry(CandidateSet& set, TimingRequest request, const ProblemContext& context) {
  for (int repeated = 0, killed = 0;;) {
    try {
      const Timing timing = time_candidates(set, context.session, request);
      if (timing.too_fast) {
        double_ring(set, request, context);
      } else if (timing.again || timing.overtaken) {
        if (timing.overtaken)
          context.observer.on_warning("who won was slower in a fresh worker than others had been: all race again");
        request.raced_again = timing.overtaken;
        back_to_verified(set);
        verify_again(set, context.session, context.store, context.run, context.stop);
      } else {
        return timing;
      }
    } catch (const worker::WorkerLost& lost) {
      context.session.bench->lost();
      context.observer.on_warning(std::string("the worker was lost while timing: ") + lost.what());
      back_to_verified(set);
      const bool excused = lost.by_others() && ++killed < worker::most_kills_by_others;
      const bool charged = !excused && run_alone(all_of(set), set, context) > 0;
      if (!charged && !excused && ++repeated > 1)
        throw MachineError(lost.what(), shape_text(request.planned->problem.dims), "run tuner doctor");
      verify_again(set, context.session, context.store, context.run, context.stop);
    }
  }
}

// Its index; -1 where there is none, or it is not legal here.
int include_winner(CandidateSet& set, const spec::PlannedProblem& planned, const ProblemContext& context) {
  const GpuFacts& gpu = context.session.gpu();
  const auto before = context.store.result(gpu, planned.problem, planned.kernel->regime);
  const auto trial = before && before->winner != 0 ? context.store.trial(before->winner) : std::nullopt;
  if (!trial ||
      planned.kernel->space.why_illegal(spec::base_scope(*planned.kernel, planned.problem, gpu), trial->config))
    return -1;
  if (context.overrules && store::is_forbidden(context.overrules->forbids, planned.kernel->name, gpu, trial->config))
    return -1;
  return include(set, planned, trial->config, gpu);
}

// What won before by the same objective.
int incumbent_of(const CandidateSet& set, const ProblemContext& context, const spec::PlannedProblem& planned) {
  const auto before = context.store.result(context.session.gpu(), planned.problem, planned.kernel->regime);
  if (!before || before->winner == 0 || before->objective != spec::objective_text(*planned.kernel)) return -1;
  const auto trial = context.store.trial(before->winner);
  for (std::size_t i = 0; trial && i < set.all.size(); ++i)
    if (set.all[i].trial.config == trial->config)
      return set.all[i].original >= 0 ? set.all[i].original : static_cast<int>(i);
  return -1;
}

void save_trials(CandidateSet& set, const ProblemContext& context) {
  std::vector<Trial> trials;
  for (const auto& candidate : set.all) trials.push_back(candidate.trial);
  const auto ids = context.store.save_all(context.run, trials);
  for (std::size_t i = 0; i < ids.size(); ++i) set.all[i].trial.id = ids[i];
}

void count(const CandidateSet& set, ProblemResult& result) {
  result.candidates = static_cast<int>(set.all.size());
  for (const auto& candidate : set.all) {
    const Status status = candidate.trial.status;
    result.measured += status == Status::measured || status == Status::eliminated ? 1 : 0;
    result.rejected += status == Status::rejected ? 1 : 0;
  }
}

// What is sustained is so from memory: none of it where what is read is in L2.
void conclude(const CandidateSet& set, const Timing& timing, const Sustained* sustained, const Workload& workload,
              ProblemResult& result) {
  const auto id = [&](int index) { return set.all[static_cast<std::size_t>(index)].trial.id; };
  if (timing.winner >= 0) result.winner = id(timing.winner);
  for (int index : timing.tied) result.tied.push_back(id(index));
  result.margin = timing.margin;
  result.noise_floor = timing.noise_floor;
  result.baselines = timing.baselines;
  result.before = timing.before;
  result.after = timing.after;
  result.ceiling = timing.ceiling;
  if (sustained && !reads_hot(workload))
    result.ceiling.sustained_gb_per_s =
        is_copy(result.bytes_read, result.bytes_written) ? sustained->copy_gb_per_s() : sustained->read_gb_per_s();
  double fastest = 0;
  for (const auto& candidate : set.all) {
    const Trial& trial = candidate.trial;
    if (trial.is_default) result.default_trial = trial.id;
    if (trial.status == Status::measured && (fastest == 0 || trial.time_us < fastest)) fastest = trial.time_us;
  }
  result.ceiling.best_gb_per_s = gb_per_s(result.bytes_read + result.bytes_written, fastest);
  const double winner_us = timing.winner >= 0 ? set.all[static_cast<std::size_t>(timing.winner)].trial.time_us : 0;
  if (winner_us > 0 && timing.ceiling.probe_us > winner_us) result.ceiling.from = "kernel";
}

// Of a refresh: what the trials of the sweep tell of answering neighbours, as long as the same configuration wins.
void keep_losses(const CandidateSet& set, const ProblemContext& context, ProblemResult& result) {
  const auto before = context.store.result(context.session.gpu(), result.problem, result.regime);
  if (!before || before->expected_loss < 0 || before->objective != result.objective) return;
  const auto now = [&](std::int64_t id) {
    const auto trial = context.store.trial(id);
    const auto same = [&](const Candidate& candidate) { return trial && candidate.trial.config == trial->config; };
    const auto found = std::find_if(set.all.begin(), set.all.end(), same);
    return found == set.all.end() || found->trial.time_us <= 0 ? std::int64_t{0} : found->trial.id;
  };
  const std::int64_t traveller = now(before->traveller);
  if (result.winner == 0 || now(before->winner) != result.winner || traveller == 0) return;
  result.traveller = traveller;
  result.loss_neighbours = before->loss_neighbours;
  result.expected_loss = before->expected_loss;
  result.default_loss = before->default_loss;
  result.worst_loss = before->worst_loss;
}

// Of what computing bounds. Where the probe fails there is no ceiling, and the trials stand.
void probe_peak(const spec::KernelSpec& kernel, const ProblemContext& context, ProblemResult& result) {
  if (context.peaks == nullptr || kernel.bound_by != "compute" || result.flops <= 0) return;
  try {
    result.ceiling.tflop_per_s = context.peaks->tflop_per_s(context.session, kernel.arithmetic);
    result.ceiling.arithmetic = kernel.arithmetic;
  } catch (const worker::WorkerLost& lost) {
    context.session.bench->lost();
    context.observer.on_warning("there is no ceiling of " + kernel.arithmetic + ": " + lost.what());
  } catch (const MachineError& failure) {
    context.observer.on_warning("there is no ceiling of " + kernel.arithmetic + ": " + failure.what());
  }
}

// What a search is given, or everything that is asked for.
CandidateSet candidates_to_begin_with(const spec::PlannedProblem& planned, const ProblemContext& context,
                                      int& known_winner) {
  const GpuFacts& gpu = context.session.gpu();
  const std::string& regime = planned.kernel->regime;
  CandidateSet set = context.searching != nullptr ? without_candidates(planned, gpu) : enumerate(planned, gpu);
  if (context.searching == nullptr) {
    keep_asked_for(set, planned, regime, gpu, context.store);
    if (context.overrules) obey(set, planned, *context.overrules, gpu, regime);
  } else {
    const auto standard = spec::default_config(*planned.kernel, planned.problem, gpu);
    const bool forbidden = standard && context.overrules &&
                           store::is_forbidden(context.overrules->forbids, planned.kernel->name, gpu, *standard);
    if (standard && !forbidden) include(set, planned, *standard, gpu);
    if (context.overrules) include_pinned(set, planned, *context.overrules, gpu, regime);
  }
  if (context.with_winner) known_winner = include_winner(set, planned, context);
  return set;
}

ProblemEvent problem_event(const spec::PlannedProblem& planned, const CandidateSet& set,
                           const ProblemContext& context) {
  ProblemEvent event{planned.problem,
                     planned.kernel->regime,
                     context.index,
                     context.of,
                     static_cast<std::int64_t>(set.all.size()),
                     set.excluded,
                     {}};
  if (context.searching == nullptr) return event;
  event.candidates = context.searching->trials;
  event.search = context.searching->by.text;
  return event;
}

ProblemDone nothing_done(const spec::PlannedProblem& planned, const Workload& workload, const ProblemContext& context) {
  ProblemDone done;
  done.result.problem = planned.problem;
  done.result.regime = planned.kernel->regime;
  done.result.bytes_read = workload.bytes_read;
  done.result.bytes_written = workload.bytes_written;
  done.result.flops = workload.flops;
  done.result.bound_by = planned.kernel->bound_by;
  done.result.objective = spec::objective_text(*planned.kernel);
  done.result.closure_hash = compile::closure_hash(*planned.kernel);
  done.result.manifest_hash = compile::manifest_hash(*planned.kernel);
  if (context.searching != nullptr) done.result.search = context.searching->by.name;
  if (!planned.exactly.empty()) done.result.search = refresh_search;
  return done;
}

// Whether this may take the place of a result that answers. A device without times has no winner.
bool is_any_right(const CandidateSet& set, const ProblemResult& result, bool emulated) {
  if (!emulated) return result.winner != 0;
  return std::any_of(set.all.begin(), set.all.end(),
                     [](const Candidate& each) { return each.trial.status == Status::verified; });
}

// While the first are verified, the compilers go on with the rest.
void verify_each(CandidateSet& set, const spec::PlannedProblem& planned, const Workload& workload,
                 const ProblemContext& context, ProblemDone& done) {
  Session& session = context.session;
  Building building(0, set, planned, context, deadly_trials(planned, context));
  done.refused = building.refused();
  const auto earlier = context.store.unfinished(session.facts, planned.problem, done.result.regime);
  if (const std::string line = in_flight_line(earlier); !line.empty()) context.observer.on_warning(line);
  set_workloads(planned, set, workload, !session.emulated(), session);
  std::int64_t lonely = 0, verified = 0;
  int rejected = 0;
  for (std::size_t begin = 0, end = 0; begin < set.all.size(); begin = end) {
    end = building.next(begin);
    building.build_to(end);
    for (std::size_t i = begin; i < end; ++i) lonely += set.all[i].awkward.empty() ? 1 : 0;
    done.stood += take_over(set, earlier, begin);
    if (context.stop()) return;
    if (end == set.all.size())
      if (const std::string line = lonely_line(set, planned, lonely); !line.empty()) context.observer.on_warning(line);
    std::int64_t now = 0;
    int rejected_now = 0;
    verify_from(begin, set, session, context.store, context.run, context.stop, [&](auto n, auto of, int no) {
      now = n;
      rejected_now = no;
      const auto rest = static_cast<std::int64_t>(set.all.size() - end);
      context.observer.on_progress({Phase::verify, verified + n, verified + of + rest, rejected + no, 0, 0});
    });
    verified += now;
    rejected += rejected_now;
  }
  verify_again(set, session, context.store, context.run, context.stop);
}

void search_space(CandidateSet& set, const spec::PlannedProblem& planned, const Workload& workload,
                  const ProblemContext& context, int known_winner, ProblemDone& done) {
  set_workloads(planned, set, workload, !context.session.emulated(), context.session);
  const Searched searched = search_problem(set, planned, context, known_winner);
  done.refused = searched.refused;
  done.stood = searched.stood;
  for (const std::string& note : searched.notes) context.observer.on_warning(note);
}

}  // namespace

std::vector<Trial> deadly_trials(const spec::PlannedProblem& planned, const ProblemContext& context) {
  if (context.forgiving) return {};
  return context.store.deadly(context.session.gpu(), planned.problem, planned.kernel->regime);
}

ProblemDone tune_problem(const spec::PlannedProblem& planned, const ProblemContext& context) {
  const auto begin = std::chrono::steady_clock::now();
  Session& session = context.session;
  session.bench->use_data(0);
  if (!session.emulated()) session.bench->prepare();
  int known_winner = -1;
  CandidateSet set = candidates_to_begin_with(planned, context, known_winner);
  context.observer.on_problem(problem_event(planned, set, context));
  const Workload workload = workload_of(planned, session);
  ProblemDone done = nothing_done(planned, workload, context);
  if (context.searching != nullptr)
    search_space(set, planned, workload, context, known_winner, done);
  else
    verify_each(set, planned, workload, context, done);
  if (!session.emulated() && !context.stop() && !set.all.empty()) {
    TimingRequest request{
        &planned, &workload, incumbent_of(set, context, planned), false, context.stop, [&](auto n, auto of, double us) {
          context.observer.on_progress({Phase::race, n, of, 0, us, 0});
        }};
    if (context.known_of != nullptr) request.known_of = *context.known_of;
    const Timing timing = time_with_retry(set, request, context);
    for (const std::string& note : timing.notes) context.observer.on_warning(note);
    unload(set, context);
    if (context.sustained) context.sustained->probe_again(session);
    save_trials(set, context);
    conclude(set, timing, context.sustained, workload, done.result);
    probe_peak(*planned.kernel, context, done.result);
    if (!planned.exactly.empty()) keep_losses(set, context, done.result);
  } else {
    unload(set, context);
    save_trials(set, context);
  }
  if (set.pinned >= 0) done.pinned = set.all[static_cast<std::size_t>(set.pinned)].trial.id;
  count(set, done.result);
  done.finished = !context.stop();
  if (done.finished && (planned.exactly.empty() || is_any_right(set, done.result, session.emulated())))
    context.store.save_result(context.run, done.result);
  for (auto& candidate : set.all) done.trials.push_back(std::move(candidate.trial));
  if (!session.emulated())
    for (const Trial& trial : done.trials)
      if (trial.time_us > 0)
        done.metrics[trial.id] =
            spec::metrics_of(*planned.kernel, planned.problem, trial.config, session.gpu(), trial.time_us);
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return done;
}

}  // namespace tuner::tune
