// What became of one trial, and why.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compile/waves.h"
#include "core/counters.h"
#include "core/metric.h"
#include "core/trial.h"
#include "report/style.h"
#include "report/suggested_block.h"

namespace tuner::report {

struct Explanation {
  Trial trial;
  GpuFacts gpu;
  bool emulated = false;
  std::string when;                     // the run's
  std::optional<ProblemResult> result;  // when the problem was finished
  std::optional<Trial> winner;
  std::optional<Trial> twin;                    // of a duplicate
  std::optional<compile::Occupancy> occupancy;  // of the main launch, as the next three
  std::optional<compile::Waves> waves;
  std::optional<compile::InFlight> in_flight;
  std::optional<compile::Reread> reread;
  std::optional<SuggestedBlock> suggested;  // in the place of the winner
  std::optional<Counters> counters;         // of its configuration on such a GPU
  std::string layer = "user";               // "user": of the database; else of results with that name
  std::vector<Metric> metrics;              // of its time, or of its twin's
  std::vector<std::string> overruled;       // "pinned (user): steadier", "forbidden (project): variant=vec, unlucky"
};

std::string explain_text(const Explanation& explanation, const Style& style);
std::string explain_json(const Explanation& explanation);
// Several trials fit: a row each, timed ones first, with the GPU where there are several.
std::string trials_text(const std::vector<Explanation>& all, const Style& style);
std::string trials_json(const std::vector<Explanation>& all);
// The inlined source of one trial.
std::string source_json(const Explanation& explanation, const std::string& source);

// As people name it, and commands take it back: "8" of the database, "shipped:8" of that layer's results.
std::string trial_name(const std::string& layer, std::int64_t id);

}  // namespace tuner::report
