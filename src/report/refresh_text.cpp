#include "report/refresh_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/format.h"
#include "report/problem_table.h"
#include "report/visible.h"

namespace tuner::report {
namespace {

using Json = nlohmann::ordered_json;
using tune::RefreshOutcome;

std::string heading(const tune::StoredRow& row) {
  const ProblemResult& result = row.entry->result;
  std::string text = problem_text(result.problem);
  if (result.regime != spec::plain_regime) text += " " + result.regime;
  return text + ": ";
}

std::string from_to(const tune::Refreshed& found) {
  if (found.time_us <= 0) return fmt::format("{} verified again", found.verified);
  if (found.before_us <= 0) return time_text(found.time_us);
  return time_text(found.before_us) + " -> " + time_text(found.time_us);
}

std::string outcome_text(const tune::Refreshed& found) {
  switch (found.outcome) {
    case RefreshOutcome::same_binary:
      return "the same binary";
    case RefreshOutcome::confirmed:
      return "confirmed, " + from_to(found);
    case RefreshOutcome::another:
      return "another of those that were tied, " + found.config.label() + ": " + from_to(found) +
             (found.why.empty() ? "" : "; " + found.why);
    case RefreshOutcome::unconfirmed:
      return "could not be confirmed: " + found.why;
  }
  return {};
}

Json or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }
Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json row_json(const RefreshRow& one) {
  const store::Entry& entry = *one.row->entry;
  const ProblemResult& result = entry.result;
  Json json{{"kernel", result.problem.kernel},
            {"shape", result.problem.dims},
            {"facts", Json::parse(to_json(result.problem.facts))},
            {"regime", result.regime},
            {"layer", entry.layer},
            {"tuned_at", or_null(entry.tuned_at)},
            {"state", one.row->state},
            {"changed", one.row->changed},
            {"configurations", one.row->ties.size() + one.row->beside.size()}};
  if (!one.found) {
    json["outcome"] = nullptr;
    return json;
  }
  const tune::Refreshed& found = *one.found;
  json["outcome"] = to_text(found.outcome);
  json["why"] = or_null(found.why);
  json["params"] = found.config.params.empty() ? Json(nullptr) : Json::parse(to_json(found.config));
  json["before_us"] = or_null(found.before_us);
  json["time_us"] = or_null(found.time_us);
  json["next"] = found.outcome == RefreshOutcome::unconfirmed ? or_null(one.sweep) : Json(nullptr);
  return json;
}

}  // namespace

std::string refreshed_text(const tune::Refreshed& found, const std::string& sweep, const Style& style) {
  std::string text = heading(*found.row) + outcome_text(found);
  std::string out = style.text(one_line(text)) + "\n";
  if (found.outcome == RefreshOutcome::unconfirmed) out += style.text("  to tune it: " + sweep) + "\n";
  return out;
}

std::string stored_row_text(const tune::StoredRow& row, const Style& style) {
  std::string text = heading(row) + row.state;
  for (const std::string& what : row.changed) text += ", " + what;
  text += row.why_not.empty() ? "; " + count(static_cast<std::int64_t>(row.ties.size() + row.beside.size()),
                                             "configuration", "configurations")
                              : "; cannot be confirmed: " + row.why_not;
  if (row.entry->layer != "user") text += " (" + row.entry->layer + " results)";
  return style.text(one_line(text)) + "\n";
}

std::string refresh_json(const RefreshReport& report) {
  int left = 0;
  Json rows = Json::array();
  for (const RefreshRow& one : report.rows) {
    left += one.found || report.dry_run ? 0 : 1;
    rows.push_back(row_json(one));
  }
  const Json json{{"schema", 1},
                  {"gpu", report.gpu.name},
                  {"arch", report.emulated ? Json(nullptr) : Json(arch_text(report.gpu.arch))},
                  {"driver", or_null(report.gpu.driver)},
                  {"emulated", report.emulated},
                  {"dry_run", report.dry_run},
                  {"known", report.known},
                  {"results", std::move(rows)},
                  {"left", left},
                  {"interrupted", report.interrupted},
                  {"warnings", report.warnings}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
