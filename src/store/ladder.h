// One problem on one GPU, answered from rows: pinned, exact, near_shape, near_gpu, default.
#pragma once

#include <optional>
#include <vector>

#include "store/lookup.h"

namespace tuner::store {

// 0 user, 1 project, 2 site, 3 shipped, 4 anything else.
int layer_rank(std::string_view layer);

bool is_forbidden(const std::vector<Forbid>& forbids, const std::string& kernel, const GpuFacts& gpu,
                  const Config& config);
// The pin that holds for this problem on this GPU: one that names the GPU before one that does not, then the newest.
const Pin* pin_for(const std::vector<Pin>& pins, const Problem& problem, const std::string& regime,
                   const GpuFacts& gpu);
// How many facts differ. A fact that is its kernel's default on both sides does not.
int fact_mismatches(const KernelKnowledge& kernels, const Problem& asked, const Problem& tuned);

class Ladder {
 public:
  // All must outlive the ladder.
  Ladder(const std::vector<Entry>& entries, const std::vector<Pin>& pins, const std::vector<Forbid>& forbids,
         const KernelKnowledge& kernels)
      : entries_(entries), pins_(pins), forbids_(forbids), kernels_(kernels) {}

  // Empty when not even a default is legal and allowed.
  std::optional<Answer> answer(const Problem& problem, const std::string& regime, const GpuFacts& gpu) const;
  // The row of the exact rung; null when there is none.
  const Entry* exact(const Problem& problem, const std::string& regime, const GpuFacts& gpu) const;
  // An exact answer with this trial; empty when it is illegal or forbidden.
  std::optional<Answer> exact_answer(const Problem& problem, const GpuFacts& gpu, const Entry& entry,
                                     const Trial& trial) const;

 private:
  struct Neighbour;
  bool usable(const Problem& problem, const GpuFacts& gpu, const Config& config) const;
  Answer filled(const Problem& problem, const GpuFacts& gpu, Match match, const Config& config) const;
  std::optional<Answer> pinned(const Problem& problem, const std::string& regime, const GpuFacts& gpu) const;
  std::optional<Answer> from_exact(const Problem& problem, const GpuFacts& gpu, const Entry& entry) const;
  std::optional<Answer> from_near(const Problem& problem, const std::string& regime, const GpuFacts& gpu,
                                  Match rung) const;
  std::vector<Neighbour> neighbours(const Problem& problem, const std::string& regime, const GpuFacts& gpu,
                                    Match rung) const;

  const std::vector<Entry>& entries_;
  const std::vector<Pin>& pins_;
  const std::vector<Forbid>& forbids_;
  const KernelKnowledge& kernels_;
};

}  // namespace tuner::store
