#include "cli/flags.h"

#include <algorithm>

#include "cli/common_flags.h"

namespace tuner::cli {
namespace {

Command sweep() {
  return {"sweep",
          "Tune: compile, verify, time and store every configuration.",
          "FILE | --kernel K --shape MxN [flags]",
          {{"FILE", "A sweep file; one not found here is looked for in the share folder.", false}},
          {{"--kernel", "K", "A kernel to tune, without a file.", true, {}, {}},
           {"--shape", "MxN", "A shape to tune, without a file.", true, {}, {}},
           set_flag,
           regime_flag,
           search_flag,
           {"--trials", "N", "Configurations that a search tries at most (default: 300).", false, {}, {}},
           {"--seed", "N", "Of the search (default: 1).", false, {}, {}},
           {"--max-time",
            "DURATION",
            "End after so long, e.g. 30min; a search ends with what it has found.",
            false,
            {},
            {}},
           {"--any-gpu", "", "Run a file that was written for another GPU.", false, {}, {}},
           {"--again", "", "Repeat problems that are finished, and what was not run again.", false, {}, {}},
           {"--dry-run", "", "Only say how much it would be: nothing is compiled, run or written.", false, {}, {}},
           wait_flag,
           shared_flag,
           mps_flag,
           devices_flag,
           launchers_flag,
           worker_flag,
           jobs_flag,
           nvrtc_flag,
           host_code_flag,
           kernels_flag},
          {"tuner sweep configs/quickstart.yaml", "tuner sweep --kernel gemv_f16 --shape 4096x14336",
           "tuner sweep configs/h200.yaml --device all"}};
}

Command best() {
  return {"best",
          "Look up the best known configuration.",
          "--shape MxN [flags]",
          {},
          {shape_flag,
           {"--kernel", "K", "The kernel (default: all that were tuned at this shape).", false, {}, {}},
           gpu_flag,
           set_flag,
           regime_flag,
           {"--by", "PARAM", "The best of each value of this parameter, e.g. variant.", false, {}, {}},
           {"--top", "N", "The N best of each kernel (default: 1).", false, {}, {}},
           {"--require",
            "MATCH",
            "Exit 3 unless every answer is at least this good: pinned, exact, near_shape, near_gpu or default (any).",
            false,
            {"pinned", "exact", "near_shape", "near_gpu", "default"},
            {}},
           kernels_flag},
          {"tuner best --shape 4096x14336", "tuner best --shape 4096x4096 --kernel gemv_f32 --by variant"}};
}

Command list() {
  return {"list",
          "List what is known, by layer.",
          "[flags]",
          {},
          {{"--kernel", "K", "This kernel only.", false, {}, {}}, gpu_flag, regime_flag, kernels_flag},
          {"tuner list", "tuner list --kernel gemv_f16 --gpu h200"}};
}

Command explain() {
  return {"explain",
          "Say what became of a configuration, and why.",
          "TRIAL | --kernel K --shape MxN [PARAM=VALUE...] [flags]",
          {{"TRIAL", "A trial's number (shipped:N of those results), or PARAM=VALUE pairs that choose.", true}},
          {kernel_flag,
           shape_flag,
           set_flag,
           gpu_flag,
           regime_flag,
           {"--source", "", "Print the rendered source, headers inlined.", false, {}, {}},
           kernels_flag},
          {"tuner explain 42", "tuner explain --kernel gemv_f16 --shape 4096x4096 variant=naive"}};
}

Command report() {
  return {"report",
          "Show what a GPU reaches, and how near the results come to it.",
          "--hierarchy | --roofline [flags]",
          {},
          {{"--hierarchy",
            "",
            "Latency and bandwidth of each level of memory, and what arithmetic reaches; measured where unknown.",
            false,
            {},
            {}},
           {"--roofline", "", "Every best result under the roofs of bandwidth and arithmetic.", false, {}, {}},
           {"--again", "", "Measure anew (--hierarchy).", false, {}, {}},
           {"--kernel", "K", "This kernel only (--roofline).", false, {}, {}},
           {"--shape", "MxN", "This shape only (--roofline).", false, {}, {}},
           {"--output", "FILE.svg", "Draw the roofline of one GPU (default: a table).", false, {}, "-o"},
           gpu_flag,
           wait_flag,
           mps_flag,
           jobs_flag,
           nvrtc_flag,
           kernels_flag},
          {"tuner report --hierarchy", "tuner report --roofline --gpu h200 -o roofline.svg"}};
}

Command compile() {
  return {"compile",
          "Compile every configuration of a sweep file; needs no GPU.",
          "FILE --arch sm_75 [flags]",
          {{"FILE", "A sweep file; one not found here is looked for in the share folder.", false}},
          {{"--arch", "ARCH", "The architecture, e.g. sm_75.", false, {}, {}},
           {"--limit", "N", "At most N configurations a kernel, chosen to cover pairs of values.", false, {}, {}},
           {"--seed", "N", "Draws the choice of --limit (default: 1).", false, {}, {}},
           jobs_flag,
           nvrtc_flag,
           kernels_flag},
          {"tuner compile configs/t4.yaml --arch sm_75"}};
}

Command export_command() {
  return {"export",
          "Write what is known as a C++ header, as JSON, or a sweep for replays.",
          "--format header|json|replay [-o FILE] [--check] [flags]",
          {},
          {{"--format",
            "FORMAT",
            "header: constexpr tables and find(); json: a results file; replay: every trial of one problem.",
            false,
            {"header", "json", "replay"},
            {}},
           {"--output",
            "FILE",
            "Where to write, for json also a folder: a file a GPU model (default: standard output).",
            false,
            {},
            "-o"},
           {"--check", "", "Write nothing; exit 4 where what stands there is out of date.", false, {}, {}},
           gpu_flag,
           {"--kernel", "K", "This kernel only.", false, {}, {}},
           {"--shape", "MxN", "The shape (replay).", false, {}, {}},
           set_flag,
           regime_flag,
           kernels_flag},
          {"tuner export --format header -o tuned.h", "tuner export --format json -o .tuner/",
           "tuner export --format header -o tuned.h --check"}};
}

const Flag why_flag{"--why", "TEXT", "The reason, shown wherever this is obeyed.", false, {}, {}};
const Flag to_flag{"--to", "FILE", "A text file for version control (default: the database).", false, {}, {}};
const Flag for_gpu_flag{"--gpu", "NAME", "Part of a GPU's name, in any case (default: every GPU).", false, {}, {}};

Command import_command() {
  return {"import",
          "Take results of others into the database.",
          "PATH... [flags]",
          {{"PATH", "A results folder, a results file, or another tuner's database.", true}},
          {},
          {"tuner import results/", "tuner import /mnt/lab/tuner.db"}};
}

Command pin() {
  return {"pin",
          "Answer a problem with this configuration from now on.",
          "KERNEL --shape MxN (--trial N | PARAM=VALUE...) --why TEXT",
          {{"KERNEL", "The kernel, e.g. gemv_f16.", false},
           {"PARAM=VALUE", "The configuration; the rest is that of the fastest trial like it.", true}},
          {shape_flag,
           set_flag,
           regime_flag,
           for_gpu_flag,
           {"--trial", "N", "The configuration of this trial of the problem, e.g. 8 or shipped:8.", false, {}, {}},
           why_flag,
           to_flag,
           nvrtc_flag,
           host_code_flag,
           kernels_flag},
          {"tuner pin gemv_f16 --shape 4096x4096 --trial 42 --why 'steadier under load'",
           "tuner pin gemv_f16 --shape 4096x4096 variant=warp --why x --to pins.json"}};
}

Command unpin() {
  return {"unpin",
          "Take a pin back.",
          "KERNEL --shape MxN [flags]",
          {{"KERNEL", "The kernel, e.g. gemv_f16.", false}},
          {shape_flag, set_flag, regime_flag, for_gpu_flag, to_flag, kernels_flag},
          {"tuner unpin gemv_f16 --shape 4096x4096"}};
}

Command forbid() {
  return {"forbid",
          "Never run or answer configurations like this one.",
          "PARAM=VALUE... --why TEXT [flags]",
          {{"PARAM=VALUE", "A configuration that agrees with all of these is forbidden.", true}},
          {{"--kernel", "K", "Of this kernel only.", false, {}, {}},
           for_gpu_flag,
           why_flag,
           to_flag,
           {"--remove", "", "Take it back.", false, {}, {}},
           kernels_flag},
          {"tuner forbid variant=coalesced --why 'not deterministic'", "tuner forbid --remove variant=coalesced"}};
}

Command doctor() {
  return {"doctor",
          "Show what this machine offers: driver, GPUs, compilers, places.",
          "[flags]",
          {},
          {{"--repair", "", "Set a damaged database aside, remove what processes left behind.", false, {}, {}},
           nvrtc_flag,
           kernels_flag},
          {"tuner doctor", "tuner doctor --repair"}};
}

Command run() {
  return {"run",
          "Launch one configuration exactly once, for a profiler.",
          "KERNEL --shape MxN [PARAM=VALUE... | --trial N] [flags]",
          {{"KERNEL", "The kernel, then PARAM=VALUE pairs (default: the configuration that 'best' answers).", true}},
          {shape_flag,
           set_flag,
           regime_flag,
           {"--trial", "N", "The configuration of this trial of the problem, e.g. 8 or shipped:8.", false, {}, {}},
           wait_flag,
           mps_flag,
           launcher_flag,
           nvrtc_flag,
           host_code_flag,
           kernels_flag},
          {"tuner run gemv_f16 --shape 4096x4096 variant=naive"}};
}

Command profile() {
  return {"profile",
          "Read the GPU's counters while configurations run once.",
          "KERNEL --shape MxN [PARAM=VALUE... | --compare A B] [flags]",
          {{"KERNEL", "The kernel, then PARAM=VALUE pairs (default: the configuration that 'best' answers).", true}},
          {shape_flag,
           set_flag,
           {"--trial", "N", "The configuration of this trial of the problem, e.g. 8 or shipped:8.", false, {}, {}},
           {"--by", "PARAM", "One configuration of each value of this parameter, e.g. variant.", false, {}, {}},
           {"--top", "N", "The N best.", false, {}, {}},
           {"--compare",
            "",
            "Two side by side, each a trial or PARAM=VALUE[,PARAM=VALUE...], and what differs most.",
            false,
            {},
            {}},
           {"--stored", "", "Show what was counted before; nothing is run.", false, {}, {}},
           {"--gpu", "NAME", "With --stored: part of a GPU's name, in any case (default: all).", false, {}, {}},
           wait_flag,
           mps_flag,
           nvrtc_flag,
           host_code_flag,
           kernels_flag},
          {"tuner profile gemv_f16 --shape 8192x8192 --by variant",
           "tuner profile gemv_f32 --shape 1024x1024 --compare variant=shared variant=warp"}};
}

Command check() {
  return {"check",
          "Check a manifest: all its faults at once, then one configuration.",
          "FILE [flags]",
          {{"FILE", "A kernel manifest.", false}},
          {{"--shape", "MxN", "The shape to try it at (default: one that has a configuration).", false, {}, {}},
           set_flag,
           nvrtc_flag},
          {"tuner check kernels/axpy.yaml", "tuner check kernels/axpy.yaml --shape 100000 --device host"}};
}

Command new_kernel() {
  return {"new-kernel",
          "Start a kernel of your own: a working one, or a manifest for a .cu.",
          "NAME [--in DIR] [--from FILE.cu --entry F]",
          {{"NAME", "The kernel's name: letters, digits and _.", false}},
          {{"--in", "DIR", "The folder to write to (default: the working folder).", false, {}, {}},
           {"--from", "FILE.cu", "Write a manifest for a kernel of this file.", false, {}, {}},
           {"--entry", "F", "The __global__ function (default: the only one).", false, {}, {}},
           nvrtc_flag},
          {"tuner new-kernel axpy --in kernels", "tuner new-kernel blur --from blur.cu --entry blur"}};
}

Command schema() {
  return {"schema",
          "Print the JSON schema of manifests or sweep files, for editors.",
          "manifest|sweep",
          {{"LANGUAGE", "manifest or sweep.", false}},
          {},
          {"tuner schema manifest"}};
}

Command repack() {
  return {"repack",
          "Turn quantised weights of a model's file into what gemv_q4 and others read.",
          "FILE [NAME -o DIR] [flags]",
          {{"FILE", "A safetensors or GGUF file; alone: what it holds.", false},
           {"NAME", "The weights, as the list names them.", false}},
          {{"--output", "DIR", "The folder for the NumPy files and repack.json.", false, {}, "-o"},
           {"--expert", "N", "One of stacked matrices, from 0 (default: all of them).", false, {}, {}},
           {"--format",
            "FORMAT",
            "Needed for GPTQ alone: gptq, or gptq_v2 where the model's config says so.",
            false,
            {"gptq", "gptq_v2", "awq", "mxfp4", "gguf"},
            {}}},
          {"tuner repack model.safetensors", "tuner repack model.gguf blk.0.ffn_down.weight -o down"}};
}

Command cache() {
  return {"cache",
          "Show or empty the cache of compiled kernels.",
          "[clean] [flags]",
          {{"ACTION", "clean: remove every entry.", false}},
          {{"--limit", "SIZE", "Remove the least recently used down to this size, e.g. 512MiB.", false, {}, {}}},
          {"tuner cache", "tuner cache clean"}};
}

}  // namespace

const std::vector<Flag>& global_flags() {
  static const std::vector<Flag> flags{
      {"--help", "", "Print this text.", false, {}, "-h"},
      {"--version", "", "Print the version.", false, {}, {}},
      {"--db", "FILE", "The database (default: $TUNER_DB, else in the user's data folder).", false, {}, {}},
      {"--json", "", "Print one JSON document instead of text.", false, {}, {}},
      {"--quiet", "", "No progress and no notes; warnings and errors stay.", false, {}, "-q"},
      {"--verbose", "", "Say more.", false, {}, "-v"},
      {"--color", "WHEN", "auto, always or never (default: auto).", false, {"auto", "always", "never"}, {}},
      {"--device", "DEVICE", "auto, cuda:N or host (default: auto).", false, {}, {}},
  };
  return flags;
}

bool is_own_flag(const Command* command, std::string_view name) {
  if (command == nullptr) return false;
  const auto& own = command->flags;
  return std::any_of(own.begin(), own.end(), [&](const Flag& flag) { return flag.name == name; });
}

const std::vector<Command>& commands() {
  static const std::vector<Command> all{sweep(),
                                        refresh_command(),
                                        best(),
                                        compare_command(),
                                        list(),
                                        explain(),
                                        report(),
                                        compile(),
                                        export_command(),
                                        import_command(),
                                        pin(),
                                        unpin(),
                                        forbid(),
                                        run(),
                                        profile(),
                                        replay_command(),
                                        check(),
                                        new_kernel(),
                                        schema(),
                                        repack(),
                                        doctor(),
                                        cache()};
  return all;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

}  // namespace tuner::cli
