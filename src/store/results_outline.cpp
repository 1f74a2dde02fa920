#include "store/results_outline.h"

#include <map>
#include <optional>
#include <utility>

#include "store/json_scan.h"
#include "store/results_folder.h"
#include "store/results_parse.h"

namespace tuner::store {
namespace {

constexpr std::int64_t unknown_winner = -1;

using Members = std::map<std::string_view, std::string_view>;

// The members of an object, each once; empty for anything else.
std::optional<Members> members_of(std::string_view object) {
  JsonScan scan(object);
  if (!scan.take('{')) return std::nullopt;
  Members members;
  do {
    const auto key = scan.key();
    if (!key) return std::nullopt;
    const auto value = scan.value();
    if (!value || !members.emplace(*key, *value).second) return std::nullopt;
  } while (scan.take(','));
  if (!scan.take('}') || !scan.at_end()) return std::nullopt;
  return members;
}

std::optional<std::vector<std::string_view>> elements_of(std::string_view array) {
  JsonScan scan(array);
  std::vector<std::string_view> elements;
  if (!scan.take('[')) return std::nullopt;
  if (scan.take(']')) return elements;
  do {
    const auto value = scan.value();
    if (!value) return std::nullopt;
    elements.push_back(*value);
  } while (scan.take(','));
  if (!scan.take(']')) return std::nullopt;
  return elements;
}

std::optional<ResultKeys> keys_of(std::string_view result) {
  const auto members = members_of(result);
  if (!members) return std::nullopt;
  ResultKeys keys;
  const std::pair<const char*, std::string_view*> wanted[] = {{"kernel", &keys.kernel},
                                                              {"shape", &keys.shape},
                                                              {"facts", &keys.facts},
                                                              {"regime", &keys.regime},
                                                              {"run", &keys.run}};
  for (const auto& [name, value] : wanted) {
    const auto at = members->find(name);
    if (at == members->end()) return std::nullopt;
    *value = at->second;
  }
  return keys;
}

}  // namespace

std::string ResultsOutline::read(const std::string& path) { return read_results_text(path); }

ResultsOutline::ResultsOutline(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
  try {
    if (outline()) return;
  } catch (const std::exception&) {
    // The whole reader says what is wrong, and where.
  }
  FolderFile file = parse_folder_file(text_, path_);
  entries_ = std::move(file.entries);
  overrules_ = std::move(file.overrules);
  is_whole_ = true;
}

bool ResultsOutline::outline() {
  const auto members = members_of(text_);
  if (!members) return false;
  const auto at = [&members = *members](const char* key) {
    const auto found = members.find(key);
    return found == members.end() ? std::string_view() : found->second;
  };
  if (at("tuner") != "1" || at("gpu").empty() || at("results").empty()) return false;
  gpu_ = parse_model(at("gpu"), path_);
  if (!outline_results(at("results"))) return false;
  std::string rules = "{\"tuner\": 1";
  for (const char* key : {"pins", "forbids"})
    if (!at(key).empty()) rules += ", \"" + std::string(key) + "\": " + std::string(at(key));
  if (members->count("pins") + members->count("forbids") > 0) overrules_ = parse_overrules(rules + "}", path_);
  return true;
}

bool ResultsOutline::outline_results(std::string_view list) {
  auto objects = elements_of(list);
  if (!objects) return false;
  std::vector<Entry> entries;
  entries.reserve(objects->size());
  for (const std::string_view object : *objects) {
    const auto keys = keys_of(object);
    if (!keys) return false;
    entries.push_back(parse_outline(*keys, gpu_));
    entries.back().source = path_;
    entries.back().result.winner = unknown_winner;
  }
  objects_ = std::move(*objects);
  entries_ = std::move(entries);
  return true;
}

Entry ResultsOutline::whole(std::size_t index) const {
  if (is_whole_) return entries_.at(index);
  return parse_result({text_, objects_.at(index), index}, gpu_, path_);
}

}  // namespace tuner::store
