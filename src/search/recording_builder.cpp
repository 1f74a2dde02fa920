#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "search/recording_formats.h"

namespace tuner::search {
namespace {

// Of the JSON of a value: whole numbers, true and false as such; other numbers and texts as names.
Value value_of(const std::string& json) {
  if (json == "true" || json == "false") return json == "true";
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(json.data(), json.data() + json.size(), number);
  if (fault == std::errc{} && end == json.data() + json.size()) return number;
  const bool quoted = json.size() > 1 && json.front() == '"';
  return Name{quoted ? json.substr(1, json.size() - 2) : json};
}

}  // namespace

RecordingBuilder::RecordingBuilder(const std::vector<std::string>& parameters)
    : names_(parameters), known_(parameters.size()), values_(parameters.size()) {}

void RecordingBuilder::add(const std::vector<std::string>& values, double time, double seconds) {
  Recording::Row row{Point(values.size(), inactive), time, seconds};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == "null") continue;
    const auto [at, fresh] = known_[i].try_emplace(values[i], static_cast<int>(known_[i].size()));
    if (fresh) values_[i].push_back(value_of(values[i]));
    row.point[i] = at->second;
  }
  if (seen_.try_emplace(row.point, rows_.size()).second)
    rows_.push_back(std::move(row));
  else
    ++repeated_;
}

void RecordingBuilder::finish(Recording& recording) {
  recording.rows = std::move(rows_);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const Axis found{names_[i], values_[i]};
    const std::vector<int> ranks = found.ranks();
    Axis axis{names_[i], values_[i]};
    for (std::size_t v = 0; v < ranks.size(); ++v) axis.values[static_cast<std::size_t>(ranks[v])] = found.values[v];
    for (Recording::Row& row : recording.rows)
      if (row.point[i] != inactive) row.point[i] = ranks[static_cast<std::size_t>(row.point[i])];
    recording.axes.push_back(std::move(axis));
  }
  if (repeated_ > 0) recording.notes = fmt::format("{} rows repeat a configuration and are left out", repeated_);
}

}  // namespace tuner::search
