#include "tune/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "core/ceiling_probe.h"
#include "core/error.h"
#include "core/hash.h"
#include "spec/resolve.h"
#include "store/expected_loss.h"
#include "tune/anchors.h"
#include "tune/beside.h"
#include "tune/finished.h"
#include "tune/memory.h"
#include "tune/sized_probe.h"
#include "tune/tune_problem.h"

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

// A problem to tune, and how its space is gone through.
struct Todo {
  spec::PlannedProblem planned;
  std::optional<Searching> searching;
};

PlanEvent plan_event(const std::vector<Todo>& todo, std::size_t finished, const GpuFacts& gpu,
                     const store::Store& store) {
  PlanEvent event;
  event.problems = static_cast<int>(todo.size());
  event.finished_before = static_cast<int>(finished);
  event.database = store.path();
  for (const auto& each : todo)
    event.candidates += each.searching ? each.searching->trials : most_asked_for(each.planned, gpu);
  return event;
}

struct Agenda {
  std::vector<Todo> todo;
  std::vector<spec::PlannedProblem> finished;
  std::vector<std::string> forbidden;  // a line for each problem of which nothing may be run
};

bool any_of_these(const std::vector<Problem>& anchors, const std::vector<Todo>& todo) {
  return std::any_of(todo.begin(), todo.end(), [&](const Todo& each) {
    return std::find(anchors.begin(), anchors.end(), each.planned.problem) != anchors.end();
  });
}

// Throws before anything is run: UserError where a problem has no legal configuration, NothingFound where all there is
// to do is forbidden.
Agenda agenda(const spec::SweepPlan& plan, const SweepOptions& options, const Session& session,
              const store::Store& store) {
  Agenda agenda;
  std::optional<NothingFound> first;
  for (const auto& planned : plan.problems) {
    check_space(planned, session.gpu());
    if (auto nothing = all_forbidden(planned, options.overrules.forbids, session.gpu())) {
      agenda.forbidden.push_back(std::string(nothing->what()) + ": " + nothing->where());
      if (!first) first = std::move(nothing);
      continue;
    }
    auto searching = searching_of(plan, planned, session.gpu());
    const bool known = !options.again && !any_of_these(planned.anchors, agenda.todo) &&
                       is_finished(planned, plan.regime, session.gpu(), session.emulated(), options.overrules, store,
                                   searching ? &*searching : nullptr);
    if (known)
      agenda.finished.push_back(planned);
    else
      agenda.todo.push_back({planned, std::move(searching)});
  }
  if (first && agenda.todo.empty() && agenda.finished.empty()) throw *first;
  return agenda;
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
void compile_ahead(const std::vector<Todo>& todo, std::size_t index, Session& session) {
  if (session.emulated() || index >= todo.size()) return;
  const Todo& next = todo[index];
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

void warn_of_unused(const std::vector<Todo>& todo, Observer& observer) {
  std::set<const spec::KernelSpec*> told;
  for (const Todo& each : todo)
    if (told.insert(each.planned.kernel).second)
      for (const std::string& line : unused_lines(*each.planned.kernel)) observer.on_warning(line);
}

void warn_of_searches(const std::vector<Todo>& todo, Observer& observer) {
  for (const auto& [planned, searching] : todo)
    if (searching && searching->chosen_for_size)
      observer.on_warning(
          fmt::format("{} {} has over {} configurations: '{}' searches them, {} at most; --search "
                      "exhaustive tries all, --trials says how many",
                      planned.kernel->name, shape_text(planned.problem.dims), most_enumerated, searching->by.text,
                      searching->trials));
}

void warn_before(const std::vector<Todo>& todo, const std::vector<std::string>& forbidden, Observer& observer) {
  for (const std::string& line : forbidden) observer.on_warning(line);
  warn_of_unused(todo, observer);
  warn_of_searches(todo, observer);
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
void share_time(std::optional<Searching>& searching, double left_s, std::size_t problems_left) {
  if (!searching) return;
  const std::chrono::duration<double> share(std::max(left_s, 0.0) / static_cast<double>(problems_left));
  searching->deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::milliseconds>(share);
}

}  // namespace

SweepDone sweep(const spec::SweepPlan& plan, const spec::Catalog&, const SweepOptions& options, compile::Cache& cache,
                store::Store& store, Observer& observer) {
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed_s = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto interrupted = [&] { return options.stop && options.stop(); };
  const auto stop = [&] { return interrupted() || (plan.time_budget_s > 0 && elapsed_s() > plan.time_budget_s); };
  const auto check = [&](const GpuFacts& gpu) { refuse_gpu(plan, gpu, options); };
  Session session = open_session(options, cache, observer, check, compilers_of(plan.problems));
  auto [todo, finished, forbidden] = agenda(plan, options, session, store);
  Sustained sustained;
  Peaks peaks;
  const bool against_ceilings = !session.emulated() && !of_ceilings_alone(plan);
  compile_ahead(todo, 0, session);
  if (against_ceilings) sustained.open(session, copies_any(todo, session.gpu()));
  observer.on_device(device_event(session, against_ceilings ? &sustained : nullptr));
  warn_before(todo, forbidden, observer);
  observer.on_plan(plan_event(todo, finished.size(), session.gpu(), store));
  check_finished(finished, plan.regime, session, store, observer);

  SweepDone done;
  done.run = store.begin_run(session.facts);
  keep_manifests(plan, store);
  int index = 0;
  for (auto& [planned, searching] : todo) {
    if (stop()) break;
    if (plan.time_budget_s > 0)
      share_time(searching, plan.time_budget_s - elapsed_s(), todo.size() - static_cast<std::size_t>(index));
    const ProblemContext context{session,
                                 store,
                                 observer,
                                 against_ceilings ? &sustained : nullptr,
                                 done.run,
                                 ++index,
                                 static_cast<int>(todo.size()),
                                 searching ? std::function<bool()>(interrupted) : stop,
                                 &options.overrules,
                                 !options.again,
                                 against_ceilings ? &peaks : nullptr,
                                 &options.known_of,
                                 searching ? &*searching : nullptr,
                                 options.again};
    compile_ahead(todo, static_cast<std::size_t>(index), session);
    try {
      const ProblemDone problem = tune_problem(planned, context);
      count(problem, session.emulated(), done);
      observer.on_problem_done(problem);
    } catch (const Interrupted&) {
      break;
    }
  }
  if (against_ceilings) update_losses(plan, session.gpu(), store);
  done.interrupted = interrupted();
  store.end_run(done.run, done.interrupted ? "interrupted" : "done");
  done.seconds = elapsed_s();
  note_spent(*session.spent, done);
  observer.on_done(done);
  return done;
}

}  // namespace tuner::tune
