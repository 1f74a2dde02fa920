// How the text of a results file becomes entries, whole or a result at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "store/results_file.h"

namespace tuner::store {

// All of it. Throws UserError with file and position.
FolderFile parse_folder_file(std::string_view text, const std::string& path);

// The GPU model of a file, from the value of its key `gpu`.
GpuFacts parse_model(std::string_view object, const std::string& path);

// Where a result stands: in a file's text, as its `index`th, counted from 0.
struct ResultPlace {
  std::string_view file;
  std::string_view object;  // a part of `file`
  std::size_t index = 0;
};
// One result, checked as all of a file are; messages are those of parse_folder_file.
Entry parse_result(const ResultPlace& place, const GpuFacts& gpu, const std::string& path);

// What chooses among results: kernel, shape, facts, regime, and what `run` says. The values of these keys.
struct ResultKeys {
  std::string_view kernel, shape, facts, regime, run;
};
// Without trials, `winner` and statistics. Throws, UserError or another, for what parse_result would refuse too.
Entry parse_outline(const ResultKeys& keys, const GpuFacts& gpu);

// A value that no sweep can have given: a negative time or count, an empty block, a date that is none, an error over
// the bound at a measured trial. Empty: all are possible.
std::optional<std::string> impossible_value(const Entry& entry);
// The same of what an outline holds.
std::optional<std::string> impossible_problem(const Entry& entry);

}  // namespace tuner::store
