#include "report/export_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/format.h"

namespace tuner::report {
namespace {

using Json = nlohmann::ordered_json;

// Lines of a results file or a header can be long.
std::string shortened(const std::string& line) { return clipped(line, 120); }

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string export_json(const std::vector<exporting::Document>& documents, bool with_text) {
  Json list = Json::array();
  for (const exporting::Document& document : documents) {
    Json json{{"path", with_text ? Json(nullptr) : Json(document.path)},
              {"results", document.results},
              {"kept", document.kept}};
    if (with_text) json["text"] = document.text;
    list.push_back(std::move(json));
  }
  return dump({{"schema", 1}, {"files", list}});
}

std::string check_text(const std::vector<exporting::Document>& documents,
                       const std::vector<exporting::Difference>& differences, const std::string& command,
                       const Style& style) {
  if (differences.empty())
    return style.text("up to date: " + count(static_cast<std::int64_t>(documents.size()), "file", "files") + "\n");
  std::string text;
  for (const exporting::Difference& difference : differences) {
    if (difference.missing) {
      text += "missing: " + difference.path + "\n";
      continue;
    }
    text += "out of date: " + difference.path + "\n";
    for (const std::string& row : difference.rows) text += "  " + row + "\n";
    text += fmt::format("  line {}\n  - {}\n  + {}\n", difference.line, shortened(difference.there),
                        shortened(difference.wanted));
  }
  return style.text(text + "to mend it: " + command + "\n");
}

std::string check_json(const std::vector<exporting::Document>& documents,
                       const std::vector<exporting::Difference>& differences, const std::string& command) {
  Json list = Json::array();
  for (const exporting::Difference& difference : differences)
    list.push_back({{"path", difference.path},
                    {"missing", difference.missing},
                    {"rows", difference.rows},
                    {"line", difference.missing ? Json(nullptr) : Json(difference.line)},
                    {"there", difference.there},
                    {"wanted", difference.wanted}});
  return dump({{"schema", 1},
               {"files", documents.size()},
               {"differences", list},
               {"command", differences.empty() ? Json(nullptr) : Json(command)}});
}

}  // namespace tuner::report
