// The block size that CUDA's occupancy API would suggest for the best configuration, beside it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/metric.h"
#include "core/trial.h"

namespace tuner::report {

struct SuggestedBlock {
  Config config;  // the best, but for its block size
  std::string param;
  std::int64_t threads = 0;
  double occupancy = 0;
  bool is_best = false;        // the API would suggest the best itself
  std::optional<Trial> trial;  // of this configuration; its time is that of the trial it is a duplicate of
  double slower = 0;           // its time over the best's, less 1; where it has one
  std::vector<Metric> metrics{};
};

// "block_size=1024, of which 100% fit an SM: 3.10 µs, 12.0% slower than the best".
std::string suggestion_text(const SuggestedBlock& suggested);

// `occupancy_suggests` of the documents of `best` and `explain`; null where there is nothing to say.
std::string suggestion_json(const std::optional<SuggestedBlock>& suggested);

}  // namespace tuner::report
