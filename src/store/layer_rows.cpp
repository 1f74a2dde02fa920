#include "store/layer_rows.h"

#include "store/results_folder.h"

namespace tuner::store {
namespace {

void add(const std::string& path, const std::string& layer, LayerRows& into) {
  std::list<ResultsOutline> made;  // joins the others when it could be read
  const ResultsOutline& file = made.emplace_back(path);
  for (std::size_t i = 0; i < file.entries().size(); ++i) {
    Entry& entry = into.entries.emplace_back(file.entries()[i]);
    entry.layer = layer;
    if (file.is_whole()) continue;
    into.file_results.push_back({&file, i});
    entry.unread = -static_cast<std::int64_t>(into.file_results.size());
  }
  for (Pin pin : file.overrules().pins) {
    pin.layer = layer;
    into.pins.push_back(std::move(pin));
  }
  for (Forbid forbid : file.overrules().forbids) {
    forbid.layer = layer;
    into.forbids.push_back(std::move(forbid));
  }
  into.files.splice(into.files.end(), made);
}

}  // namespace

std::string left_out(const std::string& file, const Error& problem) {
  return "results of '" + file + "' are left out: " + problem.what() +
         (problem.where().empty() ? "" : " (" + problem.where() + ")");
}

void read_folder(const std::string& folder, const std::string& layer, LayerRows& into,
                 std::vector<std::string>& warnings) {
  static constexpr const char* unheeded = "; what it pins or forbids is not heeded";
  std::vector<std::string> files;
  try {
    files = results_files(folder);
  } catch (const MachineError& problem) {
    warnings.push_back(problem.what() + std::string(unheeded));
  }
  for (const std::string& file : files) {
    try {
      add(file, layer, into);
    } catch (const Error& problem) {
      warnings.push_back(left_out(file, problem) + (may_overrule(file) ? unheeded : ""));
    }
  }
}

}  // namespace tuner::store
