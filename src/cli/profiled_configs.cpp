#include "cli/profiled_configs.h"

#include <algorithm>

#include "cli/best_configs.h"
#include "cli/knowledge.h"
#include "cli/overruling.h"
#include "cli/sweep_options.h"
#include "cli/trial_name.h"
#include "core/error.h"
#include "core/suggest.h"
#include "spec/resolve.h"
#include "store/ladder.h"

namespace tuner::cli {
namespace {

constexpr const char* where = "tuner profile";

// "variant=shared,block_size=256" in its parts.
std::vector<std::string> parts_of(const std::string& word) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= word.size();) {
    const std::size_t end = std::min(word.find(',', at), word.size());
    parts.push_back(word.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool is_trial(const std::vector<std::string>& side) {
  return side.size() == 1 && side.front().find('=') == std::string::npos;
}

const space::Param& parameter(const spec::KernelSpec& kernel, const std::string& name) {
  std::vector<std::string> names;
  for (const space::Param& param : kernel.space.params) {
    if (param.name == name) return param;
    names.push_back(param.name);
  }
  throw UserError("unknown parameter '" + name + "' of " + kernel.name, "--by", did_you_mean(name, names));
}

class Choices {
 public:
  Choices(const Context& context, const spec::Catalog& catalog, const spec::KernelSpec& kernel, const Problem& problem,
          const GpuFacts& gpu)
      : context_(context),
        catalog_(catalog),
        kernel_(kernel),
        problem_(problem),
        gpu_(gpu),
        knowledge_(knowledge_of(catalog)),
        forbids_(overrules(context).forbids) {}

  ChosenConfig named(const std::vector<std::string>& side) const {
    ChosenConfig chosen = is_trial(side) ? config_of_trial(context_, problem_, side.front(), where)
                                         : config_like(context_, kernel_, problem_, gpu_, side, allowed());
    refuse_illegal(context_, knowledge_, problem_, chosen.config, gpu_);
    warn_of_forbid(context_, forbids_, kernel_.name, gpu_, chosen.config);
    return chosen;
  }

  std::optional<ChosenConfig> given(const std::vector<std::string>& params) const {
    auto chosen = chosen_config(context_, kernel_, problem_, gpu_, params, allowed());
    if (!chosen) return chosen;
    refuse_illegal(context_, knowledge_, problem_, chosen->config, gpu_);
    warn_of_forbid(context_, forbids_, kernel_.name, gpu_, chosen->config);
    return chosen;
  }

  // One of each value that is legal here and not forbidden.
  std::vector<ChosenConfig> by(const space::Param& param) const {
    const space::Scope scope = spec::base_scope(kernel_, problem_, gpu_);
    std::vector<ChosenConfig> all;
    for (const Value& value : param.values) {
      if (!kernel_.space.complete(scope, {{param.name, {value}}})) continue;
      const std::vector<std::string> word{param.name + "=" + to_text(value)};
      const ChosenConfig one = config_like(context_, kernel_, problem_, gpu_, word, allowed());
      if (allowed()(one.config)) all.push_back(one);
    }
    if (all.empty())
      throw NothingFound(
          "no value of " + param.name + " is legal at " + problem_.kernel + " " + shape_text(problem_.dims),
          "--by " + param.name);
    return all;
  }

  std::vector<ChosenConfig> best(int top) const { return best_configs(context_, catalog_, problem_, gpu_, top); }

 private:
  Allowed allowed() const {
    return [this](const Config& config) {
      return !knowledge_.why_illegal(problem_, config, gpu_) &&
             !store::is_forbidden(forbids_, kernel_.name, gpu_, config);
    };
  }

  const Context& context_;
  const spec::Catalog& catalog_;
  const spec::KernelSpec& kernel_;
  const Problem& problem_;
  const GpuFacts& gpu_;
  store::KernelKnowledge knowledge_;
  std::vector<store::Forbid> forbids_;
};

}  // namespace

ProfileWords profile_words(const Context& context) {
  const Arguments& arguments = context.arguments;
  arguments.required("KERNEL");
  const std::vector<std::string>& all = arguments.all("KERNEL");
  const std::vector<std::string> rest(all.begin() + 1, all.end());
  const std::string usage = "tuner profile " + arguments.command->usage;
  std::vector<std::string> ways;  // of naming configurations
  for (const char* flag : {"--compare", "--by", "--top", "--trial"})
    if (arguments.has(flag)) ways.emplace_back(flag);
  if (!rest.empty() && !arguments.has("--compare")) ways.insert(ways.begin(), "PARAM=VALUE");
  if (ways.size() > 1) throw UserError(ways[0] + " and " + ways[1] + " exclude each other", where, usage);
  ProfileWords words;
  if (!arguments.has("--compare")) {
    words.params = rest;
    return words;
  }
  if (rest.size() != 2)
    throw UserError("--compare takes two configurations, and here are " + std::to_string(rest.size()), where,
                    "each a trial or PARAM=VALUE[,PARAM=VALUE...]: tuner profile gemv_f32 --shape 1024x1024 --compare "
                    "variant=shared variant=warp");
  for (const std::string& word : rest) words.sides.push_back(parts_of(word));
  return words;
}

std::vector<ChosenConfig> profiled_configs(const Context& context, const spec::Catalog& catalog,
                                           const spec::KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu,
                                           const ProfileWords& words) {
  const Choices choices(context, catalog, kernel, problem, gpu);
  if (!words.sides.empty()) return {choices.named(words.sides[0]), choices.named(words.sides[1])};
  const std::string by = context.arguments.text("--by");
  if (!by.empty()) return choices.by(parameter(kernel, by));
  if (const auto given = choices.given(words.params)) return {*given};
  return choices.best(static_cast<int>(context.arguments.integer("--top", 1, 1000, 1)));
}

}  // namespace tuner::cli
