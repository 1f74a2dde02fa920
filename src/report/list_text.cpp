#include "report/list_text.h"

#include <nlohmann/json.hpp>

#include "report/figures.h"
#include "report/format.h"
#include "report/metric_text.h"
#include "report/table.h"

namespace tuner::report {
namespace {

Figures shown_figures(const Listed& row) {
  const Trial* timed = row.best == nullptr ? nullptr : timed_twin(*row.best, row.entry->trials);
  if (timed == nullptr || timed->time_us <= 0 || row.entry->emulated) return {};
  return figures_of(timed->time_us, timed->spread, row.entry->result);
}

std::string note_of(const Listed& row) {
  if (row.forbids.empty()) return {};
  return row.best == nullptr ? "what it could answer is forbidden" : "the winner is forbidden";
}

}  // namespace

std::string list_text(const std::vector<Listed>& rows, const Style& style) {
  Table table({{"layer", false},
               {"gpu", false},
               {"kernel", false},
               {"shape", false},
               {"facts", false, true},
               {"time"},
               {"mbu"},
               {"sol"},
               {"metrics", false},
               {"best", false, true},
               {"tuned", false},
               {"note", false}});
  for (const Listed& row : rows) {
    const store::Entry& entry = *row.entry;
    const Figures f = shown_figures(row);
    table.add({entry.layer, entry.gpu.name, entry.result.problem.kernel, shape_text(entry.result.problem.dims),
               facts_key(entry.result.problem.facts), f.time_us > 0 ? time_text(f.time_us) : "",
               f.mbu ? percent(*f.mbu) : "", f.sol ? percent(*f.sol) : "", metrics_line(row.metrics),
               row.best ? row.best->config.label() : "", entry.tuned_at.substr(0, 10), note_of(row)});
  }
  return table.text(style, "");
}

std::string list_json(const std::vector<Listed>& rows, const std::string& pins, const std::string& forbids) {
  using Json = nlohmann::ordered_json;
  Json document{{"schema", 1}, {"results", Json::array()}};
  for (const Listed& row : rows) {
    const store::Entry* entry = row.entry;
    const ProblemResult& result = entry->result;
    const Figures f = shown_figures(row);
    const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
    Json in_the_way = Json::array();
    for (const store::Forbid* forbid : row.forbids)
      in_the_way.push_back(
          {{"params", Json::parse(to_json(forbid->params))}, {"why", forbid->why}, {"layer", forbid->layer}});
    document["results"].push_back({{"layer", entry->layer},
                                   {"gpu", entry->gpu.name},
                                   {"arch", entry->gpu.arch ? Json(arch_text(entry->gpu.arch)) : Json(nullptr)},
                                   {"kernel", result.problem.kernel},
                                   {"shape", result.problem.dims},
                                   {"facts", Json::parse(to_json(result.problem.facts))},
                                   {"regime", result.regime},
                                   {"params", row.best ? Json::parse(to_json(row.best->config)) : Json(nullptr)},
                                   {"time_us", f.time_us > 0 ? Json(f.time_us) : Json(nullptr)},
                                   {"mbu", number(f.mbu)},
                                   {"sol", number(f.sol)},
                                   {"metrics", Json::parse(metrics_json(row.metrics))},
                                   {"emulated", entry->emulated},
                                   {"tuned_at", entry->tuned_at},
                                   {"forbidden", in_the_way}});
  }
  document["pins"] = Json::parse(pins);
  document["forbids"] = Json::parse(forbids);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
