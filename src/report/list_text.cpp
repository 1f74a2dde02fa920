#include "report/list_text.h"

#include <nlohmann/json.hpp>

#include "report/figures.h"
#include "report/format.h"
#include "report/table.h"

namespace tuner::report {
namespace {

const Trial* winner_of(const store::Entry& entry) {
  const Trial* winner = find_trial(entry.trials, entry.result.winner);
  return winner && winner->time_us > 0 && !entry.emulated ? winner : nullptr;
}

}  // namespace

std::string list_text(const std::vector<const store::Entry*>& entries, const Style& style) {
  Table table({{"layer", false},
               {"gpu", false},
               {"kernel", false},
               {"shape", false},
               {"facts", false},
               {"time"},
               {"mbu"},
               {"sol"},
               {"best", false},
               {"tuned", false}});
  for (const store::Entry* entry : entries) {
    const Trial* winner = winner_of(*entry);
    const Trial* best = find_trial(entry->trials, entry->result.winner);
    const Figures f = winner ? figures_of(winner->time_us, winner->spread, entry->result) : Figures{};
    table.add({entry->layer, entry->gpu.name, entry->result.problem.kernel, shape_text(entry->result.problem.dims),
               facts_key(entry->result.problem.facts), f.time_us > 0 ? time_text(f.time_us) : "",
               f.mbu ? percent(*f.mbu) : "", f.sol ? percent(*f.sol) : "", best ? best->config.label() : "",
               entry->tuned_at.substr(0, 10)});
  }
  return table.text(style, "");
}

std::string list_json(const std::vector<const store::Entry*>& entries, const std::string& pins,
                      const std::string& forbids) {
  using Json = nlohmann::ordered_json;
  Json document{{"schema", 1}, {"results", Json::array()}};
  for (const store::Entry* entry : entries) {
    const ProblemResult& result = entry->result;
    const Trial* winner = winner_of(*entry);
    const Trial* best = find_trial(entry->trials, result.winner);
    const Figures f = winner ? figures_of(winner->time_us, winner->spread, result) : Figures{};
    const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
    document["results"].push_back({{"layer", entry->layer},
                                   {"gpu", entry->gpu.name},
                                   {"arch", entry->gpu.arch ? Json(arch_text(entry->gpu.arch)) : Json(nullptr)},
                                   {"kernel", result.problem.kernel},
                                   {"shape", result.problem.dims},
                                   {"facts", Json::parse(to_json(result.problem.facts))},
                                   {"regime", result.regime},
                                   {"params", best ? Json::parse(to_json(best->config)) : Json(nullptr)},
                                   {"time_us", winner ? Json(f.time_us) : Json(nullptr)},
                                   {"mbu", number(f.mbu)},
                                   {"sol", number(f.sol)},
                                   {"emulated", entry->emulated},
                                   {"tuned_at", entry->tuned_at}});
  }
  document["pins"] = Json::parse(pins);
  document["forbids"] = Json::parse(forbids);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
