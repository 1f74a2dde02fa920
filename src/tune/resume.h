// What earlier runs know of a problem's candidates: who cost a process twice, and which verdicts stand.
#pragma once

#include <string>
#include <vector>

#include "store/store.h"
#include "tune/candidates.h"

namespace tuner::tune {

inline constexpr int strikes_out = 2;

// Rejects, before anything of them is compiled or run, the candidates whose present source has cost a process twice:
// with the reason of the last time. Needs source hashes; those before `first` are let be. Returns how many.
int refuse_killers(CandidateSet& set, const std::vector<Trial>& deadly, std::size_t first = 0);

// Verdicts of an unfinished problem stand where source and binary are the same: the candidate takes over that trial's
// row. Those before `first` are let be. Returns how many do.
int take_over(CandidateSet& set, const std::vector<Trial>& unfinished, std::size_t first = 0);

// Names what was in flight when its run ended; empty where nothing was.
std::string in_flight_line(const std::vector<Trial>& unfinished);

}  // namespace tuner::tune
