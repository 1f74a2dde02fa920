// What the candidates of one problem are ranked by: their times, or what the manifest's objective makes of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "spec/metrics.h"
#include "tune/candidates.h"

namespace tuner::tune {

class Costs {
 public:
  Costs(const spec::PlannedProblem& planned, const GpuFacts& gpu) : planned_(planned), gpu_(gpu) {}

  // Whether the time itself is the objective; then at() gives it back.
  bool of_times() const { return !planned_.kernel->objective; }
  // Takes those out of `racing` for which the objective cannot be computed at any time. What to say of them; may be
  // empty.
  std::string leave_out(const CandidateSet& set, std::vector<int>& racing);
  // Of candidate `index`, which was left in, if it takes this time. Not a number where there is none.
  double at(int index, double us);
  // How far apart two costs of a candidate are where its times are this far apart; a share.
  double noise(int index, double us, double of_times);

 private:
  const spec::PlannedProblem& planned_;
  const GpuFacts& gpu_;
  std::map<int, spec::Cost> costs_;
};

}  // namespace tuner::tune
