#include "report/overrules_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/format.h"
#include "report/table.h"
#include "report/visible.h"
#include "store/overrules_file.h"

namespace tuner::report {
namespace {

using Json = nlohmann::ordered_json;

std::string rules_dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }
std::string row(std::string_view name, const std::string& value) {
  return fmt::format("  {:<9}{}\n", name, one_line(value));
}

// As a file of pins and forbids has it, and where it stands.
template <class Rule>
Json json_of(const Rule& rule) {
  Json json = Json::parse(store::entry_json(rule));
  if (rule.made_at.empty()) json.erase("made_at");  // it is being made
  json["layer"] = rule.layer;
  json["source"] = rule.source;
  return json;
}

template <class Rule>
std::string list_json(const std::vector<Rule>& rules) {
  Json list = Json::array();
  for (const Rule& rule : rules) list.push_back(json_of(rule));
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool follows_a_dim(const Problem& problem, const Value& value) {
  for (const std::int64_t dim : problem.dims)
    if (value == Value(dim)) return true;
  return false;
}

std::string on(const std::string& gpu) { return gpu.empty() ? std::string() : " on " + gpu; }

}  // namespace

std::string pin_title(const store::Pin& pin) {
  std::string text = pin.problem.kernel + " " + shape_text(pin.problem.dims);
  for (const auto& [name, value] : pin.problem.facts)
    if (!follows_a_dim(pin.problem, value)) text += " " + name + "=" + to_text(value);
  if (pin.regime != "plain") text += " " + pin.regime;
  return text + on(pin.gpu);
}

std::string forbid_title(const store::Forbid& forbid) {
  return forbid.params.label() + (forbid.kernel.empty() ? std::string() : " of " + forbid.kernel) + on(forbid.gpu);
}

std::string cost_text(const std::optional<double>& cost) {
  if (!cost) return "not known";
  if (*cost <= 0) return "nothing against the best known";
  return fmt::format("{} against the best known", percent(*cost));
}

std::string pin_text(const store::Pin& pin, const std::vector<store::Answer>& answers, const std::string& origin,
                     const std::string& unused, const Style& style) {
  std::string body = row("config", pin.config.label()) + row("from", origin) + row("why", pin.why);
  for (const store::Answer& answer : answers) {
    if (answer.pin == nullptr)
      body += row("note", "not obeyed on " + answer.gpu.name + ": illegal or forbidden there");
    else if (answer.gpu.name != "host")
      body += row("cost", cost_text(answer.cost) + on(answer.gpu.name));
  }
  if (pin.unverified) body += row("note", "unverified until a sweep has run it on such a GPU");
  body += row("in", pin.source);
  if (!unused.empty()) body += row("note", unused);
  return style.bold(one_line("pinned " + pin_title(pin))) + "\n" + style.text(body);
}

std::string pin_json(const store::Pin& pin, const std::vector<store::Answer>& answers, const std::string& origin,
                     const std::string& unused) {
  Json costs = Json::array();
  for (const store::Answer& answer : answers)
    if (answer.pin != nullptr && answer.gpu.name != "host")
      costs.push_back({{"gpu", answer.gpu.name}, {"cost", answer.cost ? Json(*answer.cost) : Json(nullptr)}});
  return rules_dump(
      {{"schema", 1}, {"pinned", json_of(pin)}, {"origin", origin}, {"costs", costs}, {"in_force", unused.empty()}});
}

std::string unpin_text(const store::Pin& pin, const Style& style) {
  return style.text(one_line("no longer pinned: " + pin_title(pin) + ", " + pin.config.label() + " (" + pin.why + ")") +
                    "\n");
}

std::string unpin_json(const store::Pin& pin) { return rules_dump({{"schema", 1}, {"unpinned", json_of(pin)}}); }

std::string forbid_text(const store::Forbid& forbid, bool removed, const std::string& unused, const Style& style) {
  return style.text((removed ? "no longer forbidden: " : "forbidden: ") +
                    one_line(forbid_title(forbid) + " (" + forbid.why + ")") + "\n" +
                    (unused.empty() ? std::string() : row("note", unused)));
}

std::string forbid_json(const store::Forbid& forbid, bool removed, const std::string& unused) {
  Json json{{"schema", 1}, {removed ? "allowed" : "forbidden", json_of(forbid)}};
  if (!removed) json["in_force"] = unused.empty();
  return rules_dump(json);
}

std::string overrules_text(const std::vector<store::Pin>& pins, const std::vector<store::Forbid>& forbids,
                           const Style& style) {
  std::string text;
  if (!pins.empty()) {
    Table table({{"layer", false}, {"pinned", false}, {"config", false, true}, {"why", false}, {"note", false}});
    for (const store::Pin& pin : pins)
      table.add({pin.layer, pin_title(pin), pin.config.label(), pin.why, pin.unverified ? "unverified" : ""});
    text += table.text(style, "");
  }
  if (!forbids.empty()) {
    if (!text.empty()) text += "\n";
    Table table({{"layer", false}, {"forbidden", false}, {"why", false}});
    for (const store::Forbid& forbid : forbids) table.add({forbid.layer, forbid_title(forbid), forbid.why});
    text += table.text(style, "");
  }
  return text;
}

std::string pins_json(const std::vector<store::Pin>& pins) { return list_json(pins); }
std::string forbids_json(const std::vector<store::Forbid>& forbids) { return list_json(forbids); }

}  // namespace tuner::report
