// The commands that compare: strategies, kernels, what was known with what is here.
#include "cli/common_flags.h"

namespace tuner::cli {

Command compare_command() {
  return {"compare",
          "Say which of two is faster; a gate for CI.",
          "A B [flags]",
          {{"A",
            "What was: run:3, gpu:NAME, driver:VERSION, a results file or folder, git:REF, a manifest or a folder "
            "of them, trial:8, best, default, pinned, PARAM=VALUE,...",
            false},
           {"B", "What is new: the same words.", false}},
          {{"--kernel", "K", "This kernel only.", false, {}, {}},
           {"--shape", "MxN", "This shape only (default: all that both sides know).", false, {}, {}},
           {"--set", "NAME=VALUE", "Problems with this fact only, e.g. batch=4.", true, {}, {}},
           {"--regime", "NAME", "This regime only.", false, {"plain", "dependent"}, {}},
           {"--gpu", "NAME", "Results of this GPU only: a part of its name, in any case.", false, {}, {}},
           {"--fail-if-slower", "SHARE", "Exit 4 where B is proven to be slower by more, e.g. 2%.", false, {}, {}},
           {"--strict", "", "Exit 4 also where that is undecided.", false, {}, {}},
           {"--junit", "FILE", "Write a test case for each problem, as CI services read them.", false, {}, {}},
           {"--max-time", "DURATION", "Measure a problem for at most so long (default: 10s).", false, {}, {}},
           {"--changed", "", "Measure only what is another binary on both sides.", false, {}, {}},
           {"--stored", "", "Compare stored numbers, also where a GPU is here.", false, {}, {}},
           wait_flag,
           {"--shared", "", "Measure although others use the GPU.", false, {}, {}},
           mps_flag,
           launcher_flag,
           jobs_flag,
           nvrtc_flag,
           host_code_flag,
           kernels_flag},
          {"tuner compare git:main kernel_templates --fail-if-slower 2%", "tuner compare run:3 run:7",
           "tuner compare default best --kernel gemv_f16 --shape 4096x14336"}};
}

Command refresh_command() {
  return {"refresh",
          "Confirm again what a changed template, NVRTC or driver may have changed.",
          "--all | --kernel K [--shape MxN] [flags]",
          {},
          {{"--all", "", "Every result of the GPU that is here.", false, {}, {}},
           {"--kernel", "K", "Results of this kernel.", true, {}, {}},
           {"--shape", "MxN", "Results of this shape.", true, {}, {}},
           {"--regime", "NAME", "Of this regime only (default: both).", false, {"plain", "dependent"}, {}},
           {"--again", "", "Also those that nothing has changed for; all of them are timed.", false, {}, {}},
           {"--max-time",
            "DURATION",
            "End after so long, e.g. 30min; the least recently tuned come first. Exit 3 where some are left.",
            false,
            {},
            {}},
           {"--dry-run", "", "Only say which these are: nothing is compiled, run or written.", false, {}, {}},
           wait_flag,
           shared_flag,
           mps_flag,
           launcher_flag,
           jobs_flag,
           nvrtc_flag,
           host_code_flag,
           kernels_flag},
          {"tuner refresh --all --max-time 30min --wait 10min", "tuner refresh --kernel gemv_f16 --shape 4096x14336"}};
}

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
