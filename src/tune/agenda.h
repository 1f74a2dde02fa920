// What a sweep finds to do on a GPU, before anything is compiled or run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spec/sweep_plan.h"
#include "store/store.h"
#include "tune/events.h"
#include "tune/searching.h"
#include "tune/sweep.h"

namespace tuner::tune {

// A problem to tune, and how its space is gone through.
struct Todo {
  spec::PlannedProblem planned;
  std::optional<Searching> searching;
};

struct Agenda {
  std::vector<Todo> todo;
  std::vector<spec::PlannedProblem> finished;
  std::vector<std::string> forbidden;  // a line for each problem of which nothing may be run
};

// Throws before anything is run: UserError where a problem has no legal configuration, NothingFound where all there is
// to do is forbidden.
Agenda agenda_of(const spec::SweepPlan& plan, const SweepOptions& options, const GpuFacts& gpu, bool emulated,
                 const store::Store& store);

PlanEvent plan_event(const Agenda& agenda, const GpuFacts& gpu, const store::Store& store);

// Of what is forbidden, of parameters that change nothing, and of spaces that are searched because of their size.
void warn_before(const Agenda& agenda, Observer& observer);

}  // namespace tuner::tune
