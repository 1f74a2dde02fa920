// What is derived from a stored time: bandwidth and how near it comes to the ceilings. One place for terminal and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/trial.h"
#include "store/lookup.h"

namespace tuner::report {

// A value is missing where what it needs was not measured.
struct Figures {
  double time_us = 0;  // 0: not timed
  double spread = 0;
  std::optional<double> gb_per_s;
  std::optional<double> tflop_per_s;
  std::optional<double> mbu;  // of the sustained ceiling
  std::optional<double> sol;  // of what is attainable at this size, or by its arithmetic; at most 1
};
Figures figures_of(double time_us, double spread, const ProblemResult& result);

// The trial with this id; null when it is not among them.
const Trial* find_trial(const std::vector<Trial>& trials, std::int64_t id);
// The trial whose time stands for `trial`: itself, or the one it is a duplicate of. Null when that was not timed.
const Trial* timed_twin(const Trial& trial, const std::vector<Trial>& trials);

// What a trial that was timed is ranked by, lower is better: its time, or what the objective made of it.
double own_cost(const Trial& trial);
// Timed trials, duplicates left out: finalists first, whose times come from paired rounds, each part the best first.
std::vector<const Trial*> ranking(const std::vector<Trial>& trials);
// The best of each value of `param`, the best first; a value none of whose trials was timed is missing.
struct BestOfValue {
  std::string value;
  const Trial* trial;
};
std::vector<BestOfValue> best_of_each(const std::vector<const Trial*>& ranked, std::string_view param);

// Whether an answer may show times: exact or pinned, and measured on a GPU.
bool has_time(const store::Answer& answer);
// Whether the sweep of the answer's row ran its configuration: a pin may be of one that nobody ran.
bool is_from_row(const store::Answer& answer);

}  // namespace tuner::report
