#include "report/import_text.h"

#include <nlohmann/json.hpp>

#include "report/format.h"
#include "report/visible.h"

namespace tuner::report {

std::string import_text(const std::vector<ImportedPath>& paths, const Style& style) {
  std::string text;
  for (const auto& [path, done] : paths) {
    text += one_line(path) + ": ";
    if (done.nothing()) {
      text += done.known > 0 ? "nothing new, " : "nothing to import";
      if (done.known > 0) text += count(done.known, "result is", "results are") + " known already";
    } else {
      text += count(done.results, "result", "results") + " and " + count(done.trials, "trial", "trials") + " added";
      if (done.known > 0) text += ", " + count(done.known, "result", "results") + " known already";
      if (done.pins > 0) text += ", " + count(done.pins, "pin", "pins");
      if (done.forbids > 0) text += ", " + count(done.forbids, "forbid", "forbids");
    }
    if (done.unfinished_runs > 0)
      text += "; left out: " + count(done.unfinished_runs, "sweep that still runs", "sweeps that still run");
    text += "\n";
  }
  return style.text(text);
}

std::string import_json(const std::vector<ImportedPath>& paths, const std::string& database) {
  using Json = nlohmann::ordered_json;
  Json document{{"schema", 1}, {"database", database}, {"imported", Json::array()}};
  for (const auto& [path, done] : paths)
    document["imported"].push_back({{"path", path},
                                    {"results", done.results},
                                    {"known", done.known},
                                    {"trials", done.trials},
                                    {"pins", done.pins},
                                    {"forbids", done.forbids},
                                    {"unfinished_runs", done.unfinished_runs}});
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
