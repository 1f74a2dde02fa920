#include <algorithm>
#include <iostream>

#include "cli/cache_place.h"
#include "cli/chosen_config.h"
#include "cli/commands.h"
#include "cli/host_code_guard.h"
#include "cli/knowledge.h"
#include "cli/overruling.h"
#include "cli/sweep_options.h"
#include "core/error.h"
#include "report/overrules_text.h"
#include "store/gpu_choice.h"
#include "store/ladder.h"
#include "tune/verify_pin.h"

namespace tuner::cli {
namespace {

// Where no GPU is known, the limits of one that every template runs on.
GpuFacts gpu_of(const store::Layers& layers, const std::optional<GpuFacts>& here, const std::string& part) {
  if (here && store::contains_blind(here->name, part)) return *here;
  for (const store::Entry& entry : layers.outlines())
    if (!entry.emulated && store::contains_blind(entry.gpu.name, part)) return entry.gpu;
  return gpu_of_arch(90);
}

// Throws where no GPU that the pin is for can obey it.
void refuse_disobedience(const Context& context, const store::Layers& layers, const store::KernelKnowledge& kernels,
                         const store::Pin& pin, const GpuFacts& gpu) {
  refuse_illegal(context, kernels, pin.problem, pin.config, gpu);
  const std::string what = pin.config.label() + " at " + pin.problem.kernel + " " + shape_text(pin.problem.dims);
  if (const store::Forbid* forbid = store::forbid_of(layers.forbids(), pin.problem.kernel, gpu, pin.config))
    throw UserError("the configuration is forbidden: " + what, forbid->params.label() + ": " + forbid->why,
                    command_that_allows(*forbid) + " takes that back");
}

[[noreturn]] void refuse_wrong(const store::Pin& pin, const std::string& gpu, const std::string& reason,
                               const std::string& detail) {
  throw NothingFound("not pinned, it is not right on " + gpu + ": " + reason,
                     pin.problem.kernel + " " + shape_text(pin.problem.dims) + " " + pin.config.label(), detail);
}

void verify_here(const Context& context, const spec::KernelSpec& kernel, const store::Pin& pin, const GpuFacts& here) {
  tune::SweepOptions options;
  options.device = context.arguments.text("--device", "auto");
  options.nvrtc = context.arguments.text("--nvrtc");
  options.program = context.places.program;
  options.templates = context.places.templates();
  options.lock_folders = context.places.lock_folders;
  compile::Cache cache(cache_folder(context));
  const Verdict verdict = tune::verify_config(kernel, pin.problem, pin.config, options, cache);
  if (verdict.ok()) return;
  refuse_wrong(pin, here.name, std::string(title(verdict.reason)),
               verdict.detail.empty() ? std::string(hint(verdict.reason)) : verdict.detail);
}

bool is_host(const GpuFacts& gpu) { return gpu.name == "host"; }
bool is_for_host(const std::string& part) { return !part.empty() && store::contains_blind("host", part); }

[[noreturn]] void refuse_host_trial(const Context& context, const ChosenConfig& chosen) {
  throw UserError(chosen.origin + " is of the host device, which times nothing",
                  "--trial " + context.arguments.text("--trial"), "to pin it all the same: " + chosen.config.label());
}

}  // namespace

int cmd_pin(const Context& context) {
  const Arguments& arguments = context.arguments;
  const spec::Catalog catalog = load_catalog(context);
  const spec::KernelSpec& kernel =
      spec::in_regime(kernel_named(context, catalog, arguments.required("KERNEL"), "tuner pin"),
                      arguments.text("--regime", spec::plain_regime), "--regime");
  refuse_unasked_host_code(context, kernel);
  const store::KernelKnowledge knowledge = knowledge_of(catalog, kernel.regime);
  store::Pin pin;
  pin.problem = problem_of(context, kernel);
  pin.regime = kernel.regime;
  pin.why = required_why(context);
  pin.source = overrules_path_to_write(context);
  check_overrules(context);
  const store::Layers layers = open_layers(context);
  const std::optional<GpuFacts> here = gpu_here(context);
  pin.gpu = gpu_part(context, layers, here);
  const GpuFacts gpu = gpu_of(layers, here, pin.gpu);
  const auto allowed = [&](const Config& config) {
    return !knowledge.why_illegal(pin.problem, config, gpu) &&
           !store::is_forbidden(layers.forbids(), pin.problem.kernel, gpu, config);
  };
  const auto chosen = chosen_config(context, kernel, pin.problem, gpu, arguments.all("PARAM=VALUE"), allowed);
  if (!chosen) throw UserError("which configuration?", "tuner pin", "tuner pin " + arguments.command->usage);
  if (chosen->host_trial && !is_for_host(pin.gpu)) refuse_host_trial(context, *chosen);
  pin.config = chosen->config;
  pin.trial = chosen->trial;
  refuse_disobedience(context, layers, knowledge, pin, gpu);

  pin.unverified = true;
  std::vector<store::Answer> answers = layers.with_pin(pin, here, knowledge);
  for (const store::Answer& answer : answers)
    if (!answer.rejected.empty())
      refuse_wrong(pin, answer.gpu.name, answer.rejected, "tuner explain says more of the trial that found it");
  const auto known = [](const store::Answer& answer) { return answer.pin != nullptr && !answer.unverified; };
  pin.unverified = std::none_of(answers.begin(), answers.end(), known);
  if (pin.unverified && here && store::contains_blind(here->name, pin.gpu)) {
    verify_here(context, kernel, pin, *here);
    pin.unverified = is_host(*here) && !is_for_host(pin.gpu);
  }
  edit_overrules(context, [&pin](store::Overrules& overrules) { store::put(overrules, pin); });
  const std::string unused = why_not_in_force(context);
  std::cout << (context.json ? report::pin_json(pin, answers, chosen->origin, unused)
                             : report::pin_text(pin, answers, chosen->origin, unused, context.style));
  return 0;
}

}  // namespace tuner::cli
