#include "store/layer_rows.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "store/results_file.h"

namespace tuner::store {

void read_folder(const std::string& folder, const std::string& layer, LayerRows& into,
                 std::vector<std::string>& warnings) {
  std::error_code error;
  if (folder.empty() || !std::filesystem::is_directory(folder, error)) return;
  std::vector<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder, error))
    if (file.path().extension() == ".json") files.push_back(file.path().string());
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    try {
      FolderFile found = read_folder_file(file);
      for (Entry& entry : found.entries) {
        entry.layer = layer;
        into.entries.push_back(std::move(entry));
      }
      for (Pin& pin : found.overrules.pins) {
        pin.layer = layer;
        into.pins.push_back(std::move(pin));
      }
      for (Forbid& forbid : found.overrules.forbids) {
        forbid.layer = layer;
        into.forbids.push_back(std::move(forbid));
      }
    } catch (const Error& problem) {
      warnings.push_back("results of '" + file + "' are left out: " + problem.what() +
                         (problem.where().empty() ? "" : " (" + problem.where() + ")"));
    }
  }
}

}  // namespace tuner::store
