#include "tune/agenda.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "tune/anchors.h"
#include "tune/candidates.h"
#include "tune/finished.h"
#include "tune/obey.h"

namespace tuner::tune {
namespace {

bool any_of_these(const std::vector<Problem>& anchors, const std::vector<Todo>& todo) {
  return std::any_of(todo.begin(), todo.end(), [&](const Todo& each) {
    return std::find(anchors.begin(), anchors.end(), each.planned.problem) != anchors.end();
  });
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

}  // namespace

Agenda agenda_of(const spec::SweepPlan& plan, const SweepOptions& options, const GpuFacts& gpu, bool emulated,
                 const store::Store& store) {
  Agenda agenda;
  std::optional<NothingFound> first;
  for (const auto& planned : plan.problems) {
    check_space(planned, gpu);
    if (auto nothing = all_forbidden(planned, options.overrules.forbids, gpu)) {
      agenda.forbidden.push_back(std::string(nothing->what()) + ": " + nothing->where());
      if (!first) first = std::move(nothing);
      continue;
    }
    auto searching = searching_of(plan, planned, gpu);
    const bool known =
        !options.again && !any_of_these(planned.anchors, agenda.todo) &&
        is_finished(planned, plan.regime, gpu, emulated, options.overrules, store, searching ? &*searching : nullptr);
    if (known)
      agenda.finished.push_back(planned);
    else
      agenda.todo.push_back({planned, std::move(searching)});
  }
  if (first && agenda.todo.empty() && agenda.finished.empty()) throw *first;
  return agenda;
}

PlanEvent plan_event(const Agenda& agenda, const GpuFacts& gpu, const store::Store& store) {
  PlanEvent event;
  event.problems = static_cast<int>(agenda.todo.size());
  event.finished_before = static_cast<int>(agenda.finished.size());
  event.database = store.path();
  for (const auto& each : agenda.todo)
    event.candidates += each.searching ? each.searching->trials : most_asked_for(each.planned, gpu);
  return event;
}

void warn_before(const Agenda& agenda, Observer& observer) {
  for (const std::string& line : agenda.forbidden) observer.on_warning(line);
  warn_of_unused(agenda.todo, observer);
  warn_of_searches(agenda.todo, observer);
}

}  // namespace tuner::tune
