// Problems of a family that are not searched in full: what was good at its anchors is tried, and a little beside it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/store.h"
#include "tune/candidates.h"

namespace tuner::tune {

// Of each anchor so many, and so many drawn of the rest by the problem's name: the same ones every time.
inline constexpr std::size_t best_of_an_anchor = 30, drawn_beside = 30;

// What a sweep of this problem tries, in manifest order. With anchors: the best of their newest trials, the default and
// those drawn, as far as they are legal here; without: every legal configuration that is asked for.
std::vector<Config> asked_for(const spec::PlannedProblem& planned, const std::string& regime, const GpuFacts& gpu,
                              const store::Store& store);

// As many, or at most as many while anchors have no results.
std::int64_t most_asked_for(const spec::PlannedProblem& planned, const GpuFacts& gpu);

// Takes out what is not asked for, counted among the exclusions.
void keep_asked_for(CandidateSet& set, const spec::PlannedProblem& planned, const std::string& regime,
                    const GpuFacts& gpu, const store::Store& store);

}  // namespace tuner::tune
