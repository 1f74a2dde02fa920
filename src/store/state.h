// Whether a stored answer still holds for what is here now: current, elsewhere, changed.
#pragma once

#include <string>

#include "store/lookup.h"

namespace tuner::store {

// Fills state and changed. `changed`: the template, the manifest or the objective is another than the row's;
// `elsewhere`: only the driver or NVRTC differ, as far as they are known here. Hashes that the row lacks say nothing.
void judge_state(Answer& answer, const KernelHashes& now, const std::string& nvrtc);

// The newest result of this problem, or the one of `tuned_at`, was compiled with these and gave the same binary: it is
// current with them too.
void record_same_binary(Store& store, const GpuFacts& gpu, const Problem& problem, const std::string& regime,
                        const KernelHashes& now, const std::string& nvrtc, const std::string& tuned_at = {});

}  // namespace tuner::store
