// Candidates rendered, compiled, and judged by what compiling tells.
#pragma once

#include <vector>

#include "tune/candidates.h"
#include "tune/tune_problem.h"

namespace tuner::tune {

// The candidates from `first` on, rendered; a processor or more compiles them in order, and goes on while those that
// are built are used. Those that cost a process before (`deadly`, of the store) are rejected instead. Template and
// headers are kept in the store.
class Building {
 public:
  Building(std::size_t first, CandidateSet& set, const spec::PlannedProblem& planned, const ProblemContext& context,
           const std::vector<Trial>& deadly);

  // That were rejected.
  int refused() const { return refused_; }
  // So many more that there is something to do for the GPU and for the compilers.
  std::size_t next(std::size_t from) const;
  // Waits for those before `end`. Returns early where a stop comes.
  void build_to(std::size_t end);

 private:
  std::size_t first_, built_;  // up to there
  CandidateSet& set_;
  const ProblemContext& context_;
  std::vector<compile::Source> sources_;
  int refused_ = 0;
};

}  // namespace tuner::tune
