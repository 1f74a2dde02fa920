#include "cli/suggested_block.h"

#include <algorithm>
#include <functional>

#include "compile/occupancy.h"
#include "core/error.h"
#include "spec/resolve.h"

namespace tuner::cli {
namespace {

// That of the manifest's entry; null where it is gone.
const Step* main_launch(const std::vector<Step>& steps, const spec::KernelSpec& kernel) {
  for (const Step& step : steps)
    if (step.kind == Step::Kind::launch && spec::function_of(step.entry) == kernel.entry) return &step;
  return nullptr;
}

std::int64_t threads_of(const Step& launch) { return launch.block.x * launch.block.y * launch.block.z; }

Config with(Config config, const std::string& param, const Value& value) {
  for (auto& [name, held] : config.params)
    if (name == param) held = value;
  return config;
}

const Trial* find(const std::vector<Trial>& trials, const std::function<bool(const Trial&)>& is) {
  const auto found = std::find_if(trials.begin(), trials.end(), is);
  return found == trials.end() ? nullptr : &*found;
}

// Whether the launch's block is made of `param` and of what the manifest names, but of no other number: a product of
// several parameters can have the value of one of them by chance.
bool is_block(const spec::KernelSpec& kernel, const space::Param& param, const Trial& best, const GpuFacts& gpu) {
  space::Scope named = spec::base_scope(kernel, best.problem, gpu);
  for (const auto& [name, value] : best.config.params)
    if (!std::holds_alternative<std::int64_t>(value)) named.set(name, value);
  const space::Scope whole = spec::config_scope(kernel, best.problem, best.config, gpu);
  for (const spec::StepSpec& step : kernel.steps) {
    if (step.kind != Step::Kind::launch || spec::function_of(step.target) != kernel.entry) continue;
    if (step.when && !step.when->truth(whole)) continue;
    for (const space::Expr& size : step.block)
      for (const std::string& name : size.bind(named).names())
        if (name != param.name) return false;
  }
  return true;
}

// A legal configuration with one value of the block's parameter.
struct Choice {
  Config config;
  Step launch;
  std::int64_t value = 0;
};

// Empty where a value is not the threads of its block: the parameter is something else.
std::vector<Choice> choices_of(const spec::KernelSpec& kernel, const space::Param& param, const Trial& best,
                               const GpuFacts& gpu) {
  const space::Scope scope = spec::base_scope(kernel, best.problem, gpu);
  std::vector<Choice> choices;
  for (const Value& value : param.values) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr) return {};
    Config config = with(best.config, param.name, value);
    if (kernel.space.why_illegal(scope, config)) continue;
    const std::vector<Step> steps = spec::resolve(kernel, best.problem, config, gpu).steps;
    const Step* launch = main_launch(steps, kernel);
    if (launch == nullptr || threads_of(*launch) != *number) return {};
    choices.push_back({std::move(config), *launch, *number});
  }
  std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) { return a.value > b.value; });
  return choices;
}

double occupancy_of(const Choice& choice, const Trial& best, const std::vector<Trial>& trials, const GpuFacts& gpu) {
  const Trial* own =
      find(trials, [&](const Trial& trial) { return trial.config == choice.config && trial.registers > 0; });
  const Trial& known = own == nullptr ? best : *own;
  KernelAttributes attributes;
  attributes.entry = choice.launch.entry;
  attributes.registers = known.registers;
  attributes.static_shared_bytes = known.static_shared_bytes;
  return compile::occupancy(attributes, choice.launch, gpu).occupancy;
}

report::SuggestedBlock described(const Choice& choice, const std::string& param, double occupancy, const Trial& best,
                                 const std::vector<Trial>& trials) {
  report::SuggestedBlock suggested{choice.config, param, choice.value, occupancy, choice.config == best.config, {}, 0};
  const Trial* own = find(trials, [&](const Trial& trial) { return trial.config == choice.config; });
  if (own == nullptr) return suggested;
  suggested.trial = *own;
  if (own->status == Status::duplicate)
    if (const Trial* twin = find(trials, [own](const Trial& trial) { return trial.id == own->duplicate_of; }))
      suggested.trial->time_us = twin->time_us;
  if (suggested.trial->time_us > 0 && best.time_us > 0) suggested.slower = suggested.trial->time_us / best.time_us - 1;
  return suggested;
}

}  // namespace

std::optional<report::SuggestedBlock> suggested_block(const spec::KernelSpec& kernel, const GpuFacts& gpu,
                                                      const Trial& best, const std::vector<Trial>& trials) {
  if (best.registers < 1) return std::nullopt;
  try {
    for (const space::Param& param : kernel.space.params) {
      if (best.config.find(param.name) == nullptr || !is_block(kernel, param, best, gpu)) continue;
      const std::vector<Choice> choices = choices_of(kernel, param, best, gpu);
      if (choices.empty()) continue;
      const Choice* most = nullptr;
      double highest = 0;
      for (const Choice& choice : choices) {
        const double occupancy = occupancy_of(choice, best, trials, gpu);
        if (occupancy <= highest) continue;
        highest = occupancy;
        most = &choice;
      }
      if (most == nullptr) return std::nullopt;
      return described(*most, param.name, highest, best, trials);
    }
  } catch (const UserError&) {
    // The manifest is no longer the one of this configuration.
  }
  return std::nullopt;
}

}  // namespace tuner::cli
