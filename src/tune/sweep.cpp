#include "tune/sweep.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "core/ceiling_probe.h"
#include "core/error.h"
#include "core/hash.h"
#include "spec/resolve.h"
#include "store/expected_loss.h"
#include "tune/beside.h"
#include "tune/finished.h"
#include "tune/memory.h"
#include "tune/sized_probe.h"
#include "tune/stored_run.h"
#include "tune/tune_problem.h"
#include "tune/turns.h"

namespace tuner::tune {
namespace {

bool contains_case_blind(std::string text, std::string part) {
  const auto lower = [](std::string& s) {
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  };
  lower(text);
  lower(part);
  return text.find(part) != std::string::npos;
}

void refuse_other_gpu(const spec::SweepPlan& plan, const GpuFacts& gpu, bool any_gpu) {
  if (any_gpu) return;
  const bool named = plan.gpu_name.empty() || contains_case_blind(gpu.name, plan.gpu_name);
  const bool same_arch = plan.arch == 0 || plan.arch == gpu.arch;
  if (named && same_arch) return;
  const std::string wanted = plan.gpu_name.empty() ? arch_text(plan.arch) : plan.gpu_name;
  throw UserError("this sweep is for " + wanted + ", here is " + gpu.name + " (" + arch_text(gpu.arch) + ")", plan.path,
                  "--any-gpu runs it here all the same");
}

void refuse_gpu(const spec::SweepPlan& plan, const GpuFacts& gpu, const SweepOptions& options) {
  refuse_other_gpu(plan, gpu, options.any_gpu);
  refuse_too_large(plan, gpu, options.device == "host");
}

void keep_manifests(const spec::SweepPlan& plan, store::Store& store) {
  std::set<const spec::KernelSpec*> kept;
  for (const auto& planned : plan.problems) {
    if (!kept.insert(planned.kernel).second) continue;
    store.keep_text(content_hash(planned.kernel->text), "manifest", planned.kernel->name, planned.kernel->text);
  }
  if (!plan.text.empty()) store.keep_text(content_hash(plan.text), "sweep", plan.path, plan.text);
}

DeviceEvent device_event(const Session& session, const Sustained* sustained) {
  DeviceEvent event{session.gpu(), session.facts.nvrtc, session.emulated(), 0, 0};
  if (!sustained) return event;
  event.sustained_read_gb_per_s = sustained->read_gb_per_s();
  event.sustained_copy_gb_per_s = sustained->copy_gb_per_s();
  return event;
}

bool of_ceilings_alone(const spec::SweepPlan& plan) {
  return std::all_of(plan.problems.begin(), plan.problems.end(),
                     [](const auto& planned) { return ceiling_probe(planned.kernel->name) != nullptr; });
}

// Compiles while something else goes on. Of a problem behind anchors it is not known yet what will be asked for.
void compile_ahead(const std::vector<Todo>& todo, std::optional<std::size_t> index, Session& session) {
  if (session.emulated() || !index) return;
  const Todo& next = todo[*index];
  if (next.searching || !next.planned.anchors.empty()) return;
  session.builder->start(sources_ahead(next.planned, session));
}

bool copies_any(const std::vector<Todo>& todo, const GpuFacts& gpu) {
  return std::any_of(todo.begin(), todo.end(), [&](const Todo& each) {
    const Workload workload = spec::workload_of(*each.planned.kernel, each.planned.problem, gpu);
    return is_copy(workload.bytes_read, workload.bytes_written);
  });
}

// What each kernel's winners cost where they answer for a neighbour, now that there are more of them.
void update_losses(const spec::SweepPlan& plan, const GpuFacts& gpu, store::Store& store) {
  std::set<std::string> kernels;
  for (const auto& planned : plan.problems) kernels.insert(planned.kernel->name);
  for (const std::string& kernel : kernels) store::update_expected_losses(store, gpu, kernel, plan.regime);
}

void count(const ProblemDone& problem, bool emulated, SweepDone& done) {
  done.trials += std::count_if(problem.trials.begin(), problem.trials.end(),
                               [](const Trial& trial) { return trial.status != Status::compiled; });
  done.problems += problem.finished ? 1 : 0;
  done.without_winner += problem.finished && problem.result.winner == 0 && !emulated ? 1 : 0;
}

void note_spent(TimeSpent& spent, SweepDone& done) {
  for (const Work work : {Work::compile, Work::verify, Work::probe, Work::time, Work::other})
    done.spent.emplace_back(to_text(work), spent.seconds(work));
}

// Of the time that is left each problem has the same share; a search ends with its share, and what it has found races.
void share_time(std::optional<Searching>& searching, double left_s, double share) {
  if (!searching) return;
  const std::chrono::duration<double> own(std::max(left_s, 0.0) * share);
  searching->deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::milliseconds>(own);
}

}  // namespace

void sweep_on_device(const spec::SweepPlan& plan, const SweepOptions& options, compile::Cache& cache,
                     store::Store& store, Observer& observer, Turns& turns, SweepDone& done) {
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed_s = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto interrupted = [&] { return options.stop && options.stop(); };
  const auto stop = [&] { return interrupted() || (plan.time_budget_s > 0 && elapsed_s() > plan.time_budget_s); };
  const auto check = [&](const GpuFacts& gpu) { refuse_gpu(plan, gpu, options); };
  Session session = open_session(options, cache, observer, check, compilers_of(plan.problems));
  const auto find = [&] { return agenda_of(plan, options, session.gpu(), session.emulated(), store); };
  Agenda& agenda = turns.open(session.gpu(), find);
  Sustained sustained;
  Peaks peaks;
  const bool against_ceilings = !session.emulated() && !of_ceilings_alone(plan);
  compile_ahead(agenda.todo, turns.ahead(), session);
  if (against_ceilings) sustained.open(session, copies_any(agenda.todo, session.gpu()));
  observer.on_device(device_event(session, against_ceilings ? &sustained : nullptr));
  if (turns.speaks()) {
    warn_before(agenda, observer);
    observer.on_plan(plan_event(agenda, session.gpu(), store));
    check_finished(agenda.finished, plan.regime, session, store, observer);
  }

  StoredRun run(store, session.facts, done.runs);
  keep_manifests(plan, store);
  while (const std::optional<Turn> turn = turns.next(stop)) {
    auto& [planned, searching] = agenda.todo[turn->problem];
    if (turn->again) run.begin_another();  // what the lost device left of it is an older run's
    if (plan.time_budget_s > 0) share_time(searching, plan.time_budget_s - elapsed_s(), turn->of_time);
    const ProblemContext context{session,
                                 store,
                                 observer,
                                 against_ceilings ? &sustained : nullptr,
                                 run.id(),
                                 turn->index,
                                 static_cast<int>(agenda.todo.size()),
                                 searching ? std::function<bool()>(interrupted) : stop,
                                 &options.overrules,
                                 !options.again,
                                 against_ceilings ? &peaks : nullptr,
                                 &options.known_of,
                                 searching ? &*searching : nullptr,
                                 options.again};
    compile_ahead(agenda.todo, turns.ahead(), session);
    try {
      const ProblemDone problem = tune_problem(planned, context);
      count(problem, session.emulated(), done);
      observer.on_problem_done(problem);
      turns.done(*turn);
    } catch (const Interrupted&) {
      break;
    }
  }
  if (turns.leave() && against_ceilings) update_losses(plan, session.gpu(), store);
  done.interrupted = interrupted();
  run.end(done.interrupted ? "interrupted" : "done");
  done.seconds = elapsed_s();
  note_spent(*session.spent, done);
}

SweepDone sweep(const spec::SweepPlan& plan, const spec::Catalog&, const SweepOptions& options, compile::Cache& cache,
                store::Store& store, Observer& observer) {
  InOrder turns;
  SweepDone done;
  sweep_on_device(plan, options, cache, store, observer, turns, done);
  observer.on_done(done);
  return done;
}

}  // namespace tuner::tune
