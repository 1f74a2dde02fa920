// Which trials of a finished problem are worth showing beside its winner.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/trial.h"

namespace tuner::store {

// The trial's own time, or that of the trial it duplicates; 0 when neither was timed to the end.
double time_of(const Trial& trial, const std::vector<Trial>& all);

// As time_of, of what it is ranked by, lower is better: the time, or what the objective of the row made of it.
double cost_of(const Trial& trial, const std::vector<Trial>& all);

// The same, and that of the one sample of a configuration that left early, over three times worse than the leader.
double cost_or_sample_of(const Trial& trial, const std::vector<Trial>& all);

// The best of each value of `parameter`, in order of cost; trials without it or without a time are left out. One
// that left early stands only where no other of its value was timed to the end. `allowed` is asked of one that would
// be the best so far; empty: all are.
std::vector<const Trial*> best_of_each(const std::vector<Trial>& trials, std::string_view parameter,
                                       const std::function<bool(const Trial&)>& allowed = {});

// Winner, ties, default, what answers neighbours, best of each variant, finalists, and what duplicates among these
// stand for: each id once, in this order.
std::vector<std::int64_t> shown_ids(const ProblemResult& result, const std::vector<Trial>& trials);

}  // namespace tuner::store
