#include <algorithm>
#include <filesystem>
#include <iostream>

#include "cli/commands.h"
#include "cli/host_code_guard.h"
#include "cli/knowledge.h"
#include "cli/known_trials.h"
#include "cli/next_command.h"
#include "cli/overruling.h"
#include "cli/profiled_configs.h"
#include "cli/profiled_run.h"
#include "cli/stop.h"
#include "core/error.h"
#include "core/shell.h"
#include "report/profile_text.h"
#include "store/gpu_choice.h"

namespace tuner::cli {
namespace {

GpuFacts gpu_to_profile(const Context& context) {
  const std::string device = context.arguments.text("--device", "auto");
  if (device == "host")
    throw MachineError("the host device has no counters: it executes kernels on the CPU", "--device host",
                       "profile on a machine with an NVIDIA GPU; --stored shows what was counted there");
  return device_facts(context, device);
}

// Of a duplicate that of the trial it is a duplicate of; 0: unknown.
double time_of(const KnownTrial& known, const std::vector<KnownTrial>& trials) {
  if (known.trial.duplicate_of == 0) return known.trial.time_us;
  for (const KnownTrial& other : trials)
    if (other.layer == known.layer && other.gpu.name == known.gpu.name && other.trial.id == known.trial.duplicate_of)
      return other.trial.time_us;
  return 0;
}

// The time that a sweep measured on such a GPU, and the binary it was of.
void add_time(const std::vector<KnownTrial>& trials, const std::string& gpu, report::Profiled& one) {
  for (const KnownTrial& known : trials) {
    if (known.emulated || known.gpu.name != gpu || known.trial.config != one.config) continue;
    const double time_us = time_of(known, trials);
    if (time_us <= 0 || known.trial.reason != Reason::none) continue;
    one.time_us = time_us;
    const std::string& hash = known.trial.cubin_hash;
    one.other_binary =
        one.counters && !hash.empty() && !one.counters->cubin_hash.empty() && hash != one.counters->cubin_hash;
    return;
  }
}

void add_times(const Context& context, report::Profile& profile) {
  KnownTrials known(context);
  std::vector<KnownTrial> trials = known.in_database({profile.problem});
  for (KnownTrial& other : known.in_files({profile.problem})) trials.push_back(std::move(other));
  for (report::Profiled& one : profile.all) add_time(trials, profile.gpu, one);
}

std::string command_that_counts(const Context& context, const Problem& problem) {
  std::string text = "tuner profile " + problem.kernel + " --shape " + shape_text(problem.dims);
  for (const std::string& fact : context.arguments.all("--set")) text += " --set " + shell_word(fact);
  return with_places(context, text);
}

bool agrees_with(const Config& config, const std::vector<std::string>& words) {
  return agrees(config, parse_assignments(words, "tuner profile"));
}

// Of those that were counted the last that agrees with this side of a comparison.
const store::KeptCounters& side_of(const std::vector<store::KeptCounters>& kept, const std::vector<std::string>& words,
                                   const Context& context, const Problem& problem) {
  std::optional<Config> of_trial;
  if (words.size() == 1 && words.front().find('=') == std::string::npos)
    of_trial = config_of_trial(context, problem, words.front(), "tuner profile").config;
  for (auto one = kept.rbegin(); one != kept.rend(); ++one)
    if (of_trial ? one->config == *of_trial : agrees_with(one->config, words)) return *one;
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ",") + word;
  throw NothingFound("nothing was counted of " + all, "--stored",
                     command_that_counts(context, problem) + " --compare ...");
}

// Each GPU's apart.
std::vector<report::Profile> stored_profiles(const Context& context, const spec::KernelSpec& kernel,
                                             const Problem& problem, const ProfileWords& words) {
  const auto database = open_database(context);
  std::vector<store::KeptCounters> kept = database ? database->counters(problem) : std::vector<store::KeptCounters>{};
  for (const std::vector<std::string>& side : words.sides)
    if (side.front().find('=') != std::string::npos)
      check_parameters(kernel, parse_assignments(side, "tuner profile"), "tuner profile");
  check_parameters(kernel, parse_assignments(words.params, "tuner profile"), "tuner profile");
  std::erase_if(kept, [&](const store::KeptCounters& one) {
    GpuFacts gpu;
    gpu.name = one.gpu;
    return !agrees_with(one.config, words.params) || !store::is_called(gpu, context.arguments.text("--gpu"));
  });
  std::vector<report::Profile> profiles;
  const auto add = [&](const store::KeptCounters& one) {
    if (profiles.empty() || profiles.back().gpu != one.gpu) profiles.push_back({problem, one.gpu, {}});
    profiles.back().all.push_back({one.config, "counted " + one.counters.counted_at, one.counters, {}});
  };
  if (words.sides.empty()) {
    for (const store::KeptCounters& one : kept) add(one);
  } else {
    for (const std::vector<std::string>& side : words.sides) add(side_of(kept, side, context, problem));
    if (profiles.size() > 1)
      throw UserError("A was counted on " + profiles[0].gpu + ", B on " + profiles[1].gpu, "--stored",
                      "--gpu names one of them");
  }
  if (profiles.empty())
    throw NothingFound("nothing was counted of " + problem_title(problem, {}), "--stored",
                       command_that_counts(context, problem));
  return profiles;
}

report::Profile counted_profile(const Context& context, const spec::Catalog& catalog, const spec::KernelSpec& kernel,
                                const Problem& problem, const ProfileWords& words) {
  const GpuFacts gpu = gpu_to_profile(context);
  const profile::Ncu ncu = profile::choose_ncu();
  const std::vector<ChosenConfig> configs = profiled_configs(context, catalog, kernel, problem, gpu, words);
  store::Store store = open_for_writing(context.places);
  catch_stop_signals();
  report::Profile profile{problem, gpu.name, {}};
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const ChosenConfig& chosen = configs[i];
    if (!context.quiet)
      std::cerr << context.notes.text("counting [" + std::to_string(i + 1) + "/" + std::to_string(configs.size()) +
                                      "] " + chosen.config.label() + "\n");
    report::Profiled one{chosen.config, chosen.origin, {}, {}};
    const ProfiledRun run = profiled_run(context, ncu, kernel, problem, chosen.config, gpu);
    one.failure = run.failure;
    if (run.counters) {
      store.keep_counters(gpu, problem, chosen.config, *run.counters);
      one.counters = store.counters(gpu, problem, chosen.config);
    }
    profile.all.push_back(std::move(one));
  }
  return profile;
}

}  // namespace

int cmd_profile(const Context& context) {
  const ProfileWords words = profile_words(context);
  const spec::Catalog catalog = load_catalog(context);
  const spec::KernelSpec& kernel =
      kernel_named(context, catalog, context.arguments.all("KERNEL").front(), "tuner profile");
  const Problem problem = problem_of(context, kernel);
  std::vector<report::Profile> profiles;
  if (context.arguments.has("--stored")) {
    profiles = stored_profiles(context, kernel, problem, words);
  } else {
    refuse_unasked_host_code(context, kernel);
    profiles = {counted_profile(context, catalog, kernel, problem, words)};
  }
  for (report::Profile& profile : profiles) add_times(context, profile);
  if (context.json) std::cout << report::profile_json(profiles);
  for (const report::Profile& profile : profiles) {
    if (context.json) break;
    std::cout << (words.sides.empty() ? report::profile_text(profile, context.style)
                                      : report::comparison_text(profile, context.style));
  }
  const auto counted = [](const report::Profiled& one) { return one.counters.has_value(); };
  const std::vector<report::Profiled>& all = profiles.front().all;
  if (std::any_of(all.begin(), all.end(), counted)) return 0;
  throw NothingFound("nothing was counted: " + all.front().failure, all.front().config.label());
}

}  // namespace tuner::cli
