// How a problem's space is gone through: all of it, or what a strategy asks for.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "search/choice.h"
#include "spec/sweep_plan.h"
#include "tune/overrules.h"

namespace tuner::tune {

// A space of more is searched where nobody says how, and listed in memory where it has at most so many.
inline constexpr std::int64_t most_enumerated = 20'000;
// Configurations that a search tries where nobody says how many: on recorded sweeps nine of ten searches had come
// within 1 % of the best by then.
inline constexpr std::int64_t usual_trials = 300;

struct Searching {
  search::Choice by;
  std::int64_t trials = usual_trials;  // at most
  std::uint64_t seed = 1;
  std::optional<std::chrono::steady_clock::time_point> deadline{};  // nothing new is tried after it
  bool chosen_for_size = false;  // nobody said how: the space is too large to try in full
};

// Empty where every configuration is tried: that was asked for, or there are no more than a search would try. Throws
// UserError for a strategy that there is not.
std::optional<Searching> searching_of(const spec::SweepPlan& plan, const spec::PlannedProblem& planned,
                                      const GpuFacts& gpu);

// The legal configurations that are asked for and not forbidden. `planned` must outlive it.
std::unique_ptr<search::Domain> domain_of(const spec::PlannedProblem& planned, const Overrules* overrules,
                                          const GpuFacts& gpu);

}  // namespace tuner::tune
