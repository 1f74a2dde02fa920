// The commands that compare: strategies, kernels, what was known with what is here.
#include "cli/common_flags.h"

namespace tuner::cli {

Command replay_command() {
  return {"replay",
          "Compare search strategies on recorded sweeps; needs no GPU.",
          "FILE... [flags]",
          {{"FILE", "What export --format replay wrote, a Kernel Tuner cache, T4 results; also gzipped.", true}},
          {{"--search",
            "NAMES",
            "Strategies between commas, as of sweep; exec:CMD takes all behind it (default: random,local,forest).",
            true,
            {},
            {}},
           {"--within", "SHARE", "How near the best is good enough (default: 1%).", false, {}, {}},
           {"--repeats", "N", "Searches of each, with seeds of their own (default: 100).", false, {}, {}},
           {"--seed", "N", "Of the first (default: 1).", false, {}, {}},
           {"--trials", "N", "At most so many configurations a search (default: all).", false, {}, {}},
           {"--at-once", "N", "Configurations asked for at once (default: 8).", false, {}, {}},
           {"--output", "FILE.svg", "Draw how many searches came there after how many trials.", false, {}, "-o"}},
          {"tuner replay gemv.json", "tuner replay *.json.gz --search random,forest -o replay.svg"}};
}

}  // namespace tuner::cli
