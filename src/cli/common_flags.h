// Flags that several commands have, and the commands that are described in files of their own. Private to cli/.
#pragma once

#include "cli/flags.h"

namespace tuner::cli {

inline const Flag set_flag{
    "--set", "NAME=VALUE", "A fact of the problem, e.g. batch=4 or y=f32 (default: the manifest's).", true, {}, {}};
inline const Flag regime_flag{
    "--regime", "NAME", "How launches follow each other (default: plain).", false, {"plain", "dependent"}, {}};
inline const Flag kernels_flag{
    "--kernels", "DIR", "A folder of kernel manifests beside the built-in ones (also $TUNER_KERNELS).", true, {}, {}};
inline const Flag nvrtc_flag{"--nvrtc", "PATH", "The NVRTC library (default: $TUNER_NVRTC, else the newest that fits).",
                             false,     {},     {}};
inline const Flag gpu_flag{
    "--gpu", "NAME", "Part of a GPU's name, in any case (default: the GPU that is here, else all).", false, {}, {}};
inline const Flag shape_flag{"--shape", "MxN", "The shape.", false, {}, {}};
inline const Flag kernel_flag{"--kernel", "K", "The kernel, e.g. gemv_f16.", false, {}, {}};
inline const Flag jobs_flag{"--jobs", "N", "Compiles at once (default: the CPUs this process may use).", false, {}, {}};
inline const Flag wait_flag{"--wait", "DURATION", "Wait so long for a GPU that others use, e.g. 30min.", false, {}, {}};
inline const Flag mps_flag{"--allow-mps", "", "Run under a Multi-Process Service, whose clients a fault would end.",
                           false,         {}, {}};
inline const Flag launcher_flag{
    "--launcher",
    "CMD",
    "What starts the worker, e.g. \"compute-sanitizer --log-file out.txt\"; its command stands at "
    "the end or where {} is.",
    false,
    {},
    {}};
inline const Flag shared_flag{
    "--shared", "", "Run although others use the GPU; these rows answer only where nothing better is known.",
    false,      {}, {}};
inline const Flag devices_flag{
    "--device", "DEVICE", "auto, cuda:N, host, or all: every GPU (default: auto). One worker each.", true, {}, {}};
inline const Flag launchers_flag{"--launcher",
                                 "CMD",
                                 "What starts a worker within 60 s, or --wait, e.g. \"srun -w n1 -n1\"; its command "
                                 "stands at the end or where {} is. "
                                 "One for each device, or one for all.",
                                 true,
                                 {},
                                 {}};
inline const Flag worker_flag{"--worker", "PATH", "tuner where the launcher starts it (default: the path of this one).",
                              false,      {},     {}};
inline const Flag host_code_flag{
    "--allow-host-code", "", "Run the C++ of references whose folder is only in $TUNER_KERNELS.", false, {}, {}};

inline const Flag search_flag{
    "--search",
    "STRATEGY",
    "exhaustive, random, local, annealing, genetic, forest, or exec:CMD (default: exhaustive, "
    "forest over 20,000 configurations).",
    false,
    {},
    {}};

Command compare_command();
Command replay_command();
Command refresh_command();

}  // namespace tuner::cli
