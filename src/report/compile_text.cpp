#include "report/compile_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "compile/compile_log.h"
#include "report/format.h"
#include "report/table.h"

namespace tuner::report {
namespace {

struct Counts {
  std::int64_t runnable = 0;
  std::int64_t duplicates = 0;
  std::map<Reason, std::vector<const CompiledConfig*>> pruned;
};

Counts count_of(const CompiledKernel& kernel) {
  Counts counts;
  for (const CompiledConfig& config : kernel.configs) {
    if (config.reason != Reason::none)
      counts.pruned[config.reason].push_back(&config);
    else if (config.duplicate)
      ++counts.duplicates;
    else
      ++counts.runnable;
  }
  return counts;
}

std::string kernel_table(const CompiledKernel& kernel, const Style& style) {
  Table table({{"config", false, true},
               {"regs"},
               {"spills"},
               {"shared"},
               {"blocks/SM"},
               {"occupancy"},
               {"limiter", false},
               {"", false}});
  for (const CompiledConfig& config : kernel.configs) {
    if (config.reason != Reason::none) {
      table.add({config.config.label(), "", "", "", "", "", "", fmt::format("pruned: {}", title(config.reason))});
      continue;
    }
    table.add({config.config.label(), std::to_string(config.attributes.registers), bytes_text(config.spill_bytes),
               bytes_text(config.attributes.static_shared_bytes), std::to_string(config.occupancy.blocks_per_sm),
               fmt::format("{:.0f}%", config.occupancy.occupancy * 100), config.occupancy.limiter,
               config.duplicate ? "same binary as above" : ""});
  }
  return table.text(style);
}

std::string pruned_table(const Counts& counts, const Style& style) {
  if (counts.pruned.empty()) return {};
  Table table({{"pruned"}, {"reason", false}, {"detail", false}, {"e.g.", false}, {"hint", false}});
  for (const auto& [reason, configs] : counts.pruned)
    table.add({std::to_string(configs.size()), std::string(title(reason)),
               clipped(std::string(compile::told_line(configs.front()->detail)), 60), configs.front()->config.label(),
               std::string(hint(reason))});
  return table.text(style);
}

}  // namespace

std::string compile_text(const CompileSummary& summary, const Style& style) {
  std::string out;
  for (const CompiledKernel& kernel : summary.kernels) {
    const Counts counts = count_of(kernel);
    const auto total = static_cast<std::int64_t>(kernel.configs.size());
    out += style.bold(fmt::format("{} for {}", kernel.kernel, summary.arch)) + "\n" + kernel_table(kernel, style);
    out += fmt::format("{} at {}: {} compiled, {} of them the same binary as another, {} pruned\n",
                       count(total, "configuration", "configurations"), count(kernel.problems, "shape", "shapes"),
                       counts.runnable + counts.duplicates, counts.duplicates,
                       total - counts.runnable - counts.duplicates);
    out += pruned_table(counts, style) + "\n";
  }
  return out;
}

std::string compile_json(const CompileSummary& summary) {
  using Json = nlohmann::ordered_json;
  Json document{{"schema", 1}, {"arch", summary.arch}, {"nvrtc", summary.nvrtc}, {"seconds", summary.seconds}};
  document["kernels"] = Json::array();
  for (const CompiledKernel& kernel : summary.kernels) {
    const Counts counts = count_of(kernel);
    Json one{{"kernel", kernel.kernel},
             {"shapes", kernel.problems},
             {"configurations", kernel.configs.size()},
             {"duplicates", counts.duplicates}};
    Json by_reason = Json::object();
    for (const auto& [reason, configs] : counts.pruned) by_reason[std::string(to_text(reason))] = configs.size();
    one["pruned_by_reason"] = by_reason;
    one["configs"] = Json::array();
    for (const CompiledConfig& config : kernel.configs) {
      const bool runs = config.reason == Reason::none;
      one["configs"].push_back({{"params", Json::parse(to_json(config.config))},
                                {"shape", config.problem.dims},
                                {"reason", runs ? Json(nullptr) : Json(to_text(config.reason))},
                                {"detail", config.detail},
                                {"registers", config.attributes.registers},
                                {"spill_bytes", config.spill_bytes},
                                {"shared_bytes", config.attributes.static_shared_bytes},
                                {"blocks_per_sm", config.occupancy.blocks_per_sm},
                                {"occupancy", config.occupancy.occupancy},
                                {"limiter", config.occupancy.limiter},
                                {"duplicate", config.duplicate}});
    }
    document["kernels"].push_back(one);
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
