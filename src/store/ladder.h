// One problem on one GPU, answered from rows: pinned, exact, near_shape, near_gpu, default.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "store/lookup.h"

namespace tuner::store {

// 0 user, 1 project, 2 site, 3 shipped, 4 anything else.
int layer_rank(std::string_view layer);

// The first that forbids this configuration; null when none does.
const Forbid* forbid_of(const std::vector<Forbid>& forbids, const std::string& kernel, const GpuFacts& gpu,
                        const Config& config);
bool is_forbidden(const std::vector<Forbid>& forbids, const std::string& kernel, const GpuFacts& gpu,
                  const Config& config);
// The pin that holds for this problem on this GPU: of the first layer that has one, one that names the GPU before one
// that does not, then the newest.
const Pin* pin_for(const std::vector<Pin>& pins, const Problem& problem, const std::string& regime,
                   const GpuFacts& gpu);
// How many facts differ. A fact that is its kernel's default on both sides does not.
int fact_mismatches(const KernelKnowledge& kernels, const Problem& asked, const Problem& tuned);

class Ladder {
 public:
  // Makes an outline whole, in place (Entry::unread); not asked of an entry that is not answered from.
  using ReadRest = std::function<void(const Entry&)>;

  // All but `nvrtc` (that compiles here; may be empty) must outlive the ladder.
  Ladder(const std::vector<Entry>& entries, const std::vector<Pin>& pins, const std::vector<Forbid>& forbids,
         const KernelKnowledge& kernels, ReadRest read_rest, std::string nvrtc = {})
      : entries_(entries),
        pins_(pins),
        forbids_(forbids),
        kernels_(kernels),
        read_rest_(std::move(read_rest)),
        nvrtc_(std::move(nvrtc)) {}

  // Empty when not even a default is legal and allowed; then the forbids that kept one from answering are added to
  // `in_the_way`.
  std::optional<Answer> answer(const Problem& problem, const std::string& regime, const GpuFacts& gpu,
                               std::vector<const Forbid*>* in_the_way = nullptr) const;
  // What this row, which is whole, answers its own problem with: its winner, or what stands in where that is illegal or
  // forbidden, with the forbids. Empty when nothing of it is legal and allowed.
  std::optional<Answer> of_row(const Entry& entry) const;
  // Whether this is legal and allowed here; what forbids it is added to `forbids` once.
  bool usable(const Problem& problem, const GpuFacts& gpu, const Config& config,
              std::vector<const Forbid*>& forbids) const;
  // The row of the exact rung, whole; null when there is none.
  const Entry* exact(const Problem& problem, const std::string& regime, const GpuFacts& gpu) const;
  // An exact answer with this trial; empty when it is illegal or forbidden.
  std::optional<Answer> exact_answer(const Problem& problem, const GpuFacts& gpu, const Entry& entry,
                                     const Trial& trial) const;

 private:
  struct Neighbour;
  void note_state(Answer& answer) const;
  // What kept better answers from being given.
  struct Passed {
    std::vector<const Forbid*> forbids;
    const Pin* pin = nullptr;
  };
  Answer filled(const Problem& problem, const GpuFacts& gpu, Match match, const Config& config) const;
  std::optional<Answer> first(const Problem& problem, const std::string& regime, const GpuFacts& gpu,
                              Passed& passed) const;
  std::optional<Answer> pinned(const Problem& problem, const std::string& regime, const GpuFacts& gpu,
                               Passed& passed) const;
  std::optional<Answer> from_exact(const Problem& problem, const GpuFacts& gpu, const Entry& entry,
                                   Passed& passed) const;
  std::optional<Answer> exact_answer(const Problem& problem, const GpuFacts& gpu, const Entry& entry,
                                     const Trial& trial, Passed& passed) const;
  std::optional<Answer> from_near(const Problem& problem, const std::string& regime, const GpuFacts& gpu, Match rung,
                                  Passed& passed) const;
  // A loss of a neighbour's row, which is from other shapes with that row's facts: unknown (-1) where others are asked.
  double loss_at(const Problem& problem, const Entry& near, double loss) const;
  std::optional<Answer> by_default(const Problem& problem, const GpuFacts& gpu, Passed& passed) const;
  std::vector<Neighbour> neighbours(const Problem& problem, const std::string& regime, const GpuFacts& gpu,
                                    Match rung) const;

  const std::vector<Entry>& entries_;
  const std::vector<Pin>& pins_;
  const std::vector<Forbid>& forbids_;
  const KernelKnowledge& kernels_;
  ReadRest read_rest_;
  std::string nvrtc_;
};

}  // namespace tuner::store
