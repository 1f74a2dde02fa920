// The text form of a recorded sweep: what `tuner export --format replay` writes and a replay reads.
#pragma once

#include <string>
#include <vector>

#include "core/trial.h"

namespace tuner::search {

struct RecordedSweep {
  Problem problem;
  std::string regime = "plain";
  std::string objective;  // empty: the time
  GpuFacts gpu;
  std::string nvrtc, recorded_at;
  std::vector<Trial> trials;  // of one run
};

// A line a trial: of each parameter which of the values above, then what became of it. Only what was run or rejected is
// in it; a duplicate has the time of what it duplicates. About 50 bytes a trial.
std::string recorded_text(const RecordedSweep& sweep);

}  // namespace tuner::search
