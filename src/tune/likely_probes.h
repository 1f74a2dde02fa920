// Which of a probe's hundreds of configurations are worth trying.
#pragma once

#include <string_view>
#include <vector>

#include "space/space.h"

namespace tuner::tune {

// At the size of a ceiling: those that were among the best on every GPU. Empty: all are tried.
space::Partial likely_at_large(std::string_view probe);

// At the size of a kernel: of `probe_read` thirteen, one of which was within 0.1 % of the best of all 143 at each of
// six shapes from 8 MiB to 448 MiB, with x and without, in both regimes (H200, driver 580.159.04, NVRTC 13.0.88).
// Empty: nothing is known of this architecture, all are tried.
std::vector<space::Partial> likely_at_size(std::string_view probe, int arch);

}  // namespace tuner::tune
