#include "cli/compare_side.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "cli/compare_sides.h"
#include "cli/knowledge.h"
#include "core/error.h"
#include "store/gpu_choice.h"
#include "store/results_at.h"
#include "store/stored_entries.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* where = "tuner compare";
constexpr const char* forms =
    "a side is a run (run:3), gpu:NAME, driver:VERSION, an exported file, a results folder or a database, git:REF, a "
    "manifest or a folder of them, trial:8, best, default, pinned, or PARAM=VALUE,...";

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

std::unique_ptr<Side> run_side(const std::string& text, const Known& known) {
  const auto run = number(text);
  if (!run)
    throw UserError("'" + text + "' is no run: they are numbered from 1", where,
                    "the last line of a sweep says its run");
  const std::string title = "run " + text;
  if (!known.database) throw NothingFound("there is no database, and so no " + title, known.context.places.database);
  const auto runs = known.database->runs();
  if (std::none_of(runs.begin(), runs.end(), [&](const store::RunRecord& record) { return record.id == *run; }))
    throw UserError(
        "there is no " + title, known.database->path(),
        runs.empty() ? "it has none yet"
                     : "runs of this database have numbers up to " +
                           std::to_string(std::max_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
                                            return a.id < b.id;
                                          })->id));
  return results_side({title, store::entries_of_run(*known.database, *run), &*known.database}, known);
}

std::unique_ptr<Side> gpu_side(const std::string& name, const Known& known) {
  std::vector<store::Entry> entries;
  for (const store::Entry& entry : whole_entries(known.context, known.layers))
    if (!entry.emulated && store::is_called(entry.gpu, name)) entries.push_back(entry);
  std::vector<std::string> models;
  for (const std::string& model : store::gpu_names(entries, std::nullopt)) models.push_back(model);
  if (name.empty() || models.empty()) {
    std::string all;
    for (const std::string& other : store::gpu_names(known.layers.outlines(), std::nullopt))
      all += (all.empty() ? "known: " : ", ") + other;
    throw UserError("no results are known for a GPU called '" + name + "'", where, all.empty() ? forms : all);
  }
  if (models.size() > 1) throw UserError("'" + name + "' is more than one GPU", where, models[0] + ", " + models[1]);
  ResultsOf results{models.front(), std::move(entries), known.database ? &*known.database : nullptr};
  results.gpu = name;
  return results_side(std::move(results), known);
}

std::unique_ptr<Side> driver_side(const std::string& version, const Known& known) {
  std::vector<store::Entry> entries;
  if (known.database && !version.empty()) entries = store::entries_of_driver(*known.database, version);
  for (const store::Entry& entry : whole_entries(known.context, known.layers))
    if (entry.layer != "user" && (entry.driver == version || entry.driver.rfind(version + ".", 0) == 0))
      entries.push_back(entry);
  if (version.empty() || entries.empty()) {
    std::vector<std::string> drivers;
    for (const store::Entry& entry : known.layers.outlines())
      if (!entry.driver.empty() && std::find(drivers.begin(), drivers.end(), entry.driver) == drivers.end())
        drivers.push_back(entry.driver);
    std::string all;
    for (const std::string& other : drivers) all += (all.empty() ? "known: " : ", ") + other;
    throw UserError("no results are known under the driver '" + version + "'", where, all.empty() ? forms : all);
  }
  ResultsOf results{"driver " + version, std::move(entries), known.database ? &*known.database : nullptr};
  results.driver = version;
  return results_side(std::move(results), known);
}

bool holds_results(const std::string& folder) {
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error))
    if (file.path().extension() == ".json") return true;
  return false;
}

std::unique_ptr<Side> side_at(const std::string& path, const Known& known) {
  std::error_code error;
  const std::string kind = fs::path(path).extension().string();
  const bool code = fs::is_directory(path, error) ? !holds_results(path) : kind == ".yaml" || kind == ".yml";
  if (code) return path_side(path, known);
  try {
    ResultsOf results{path, store::results_at(path)};
    if (!fs::is_directory(path, error) && store::is_database(path))
      results.own = store::Store::open(path, store::Store::Mode::read_only);
    return results_side(std::move(results), known);
  } catch (const UserError& fault) {
    if (kind == ".json" || kind == ".db" || fs::is_directory(path, error)) throw;
    throw UserError("'" + path + "' is neither results, nor a database, nor a manifest: " + fault.what(), fault.where(),
                    forms);
  }
}

std::optional<std::string> behind(const std::string& word, const std::string& prefix) {
  if (word.rfind(prefix, 0) != 0) return std::nullopt;
  return word.substr(prefix.size());
}

}  // namespace

std::unique_ptr<Side> side_of(const std::string& word, const Known& known) {
  if (const auto run = behind(word, "run:")) return run_side(*run, known);
  if (const auto name = behind(word, "gpu:")) return gpu_side(*name, known);
  if (const auto version = behind(word, "driver:")) return driver_side(*version, known);
  if (const auto ref = behind(word, "git:")) return git_side(*ref, known);
  if (const auto name = behind(word, "trial:")) return trial_side(*name, known);
  std::error_code error;
  if (fs::exists(word, error)) return side_at(word, known);
  if (number(word)) return run_side(word, known);
  if (is_choice(word)) return words_side(word, known);
  throw UserError("'" + word + "' is neither a file nor a folder, nor another side to compare", where, forms);
}

}  // namespace tuner::cli
