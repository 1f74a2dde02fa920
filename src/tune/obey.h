// What people said of a problem's configurations.
#pragma once

#include <optional>
#include <string>

#include "core/error.h"
#include "tune/candidates.h"
#include "tune/overrules.h"

namespace tuner::tune {

// Where every legal configuration that was asked for is forbidden: an error that says by which forbids; empty where one
// is left, and where none is legal.
std::optional<NothingFound> all_forbidden(const spec::PlannedProblem& planned,
                                          const std::vector<store::Forbid>& forbids, const GpuFacts& gpu);

// Takes out what is forbidden (counted among the exclusions) and puts in the pinned configuration, whatever the sweep
// asked for: it runs to the end, so that its cost is known. Throws
// NothingFound where nothing is left.
void obey(CandidateSet& set, const spec::PlannedProblem& planned, const Overrules& overrules, const GpuFacts& gpu,
          const std::string& regime);
// The second half alone: the pinned configuration.
void include_pinned(CandidateSet& set, const spec::PlannedProblem& planned, const Overrules& overrules,
                    const GpuFacts& gpu, const std::string& regime);

}  // namespace tuner::tune
