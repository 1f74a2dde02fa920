// A results file in outline: every result's GPU, problem, regime and run, and where the rest of it stands in the text.
// A look-up reads the files of three folders and answers with one result.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/results_file.h"

namespace tuner::store {

// Neither copied nor moved: its parts point into its text.
class ResultsOutline {
 public:
  // Throws as read_folder_file for a file whose damage shows from its outline: what is inside of a result is read by
  // whole().
  explicit ResultsOutline(std::string path) : ResultsOutline(path, read(path)) {}
  ResultsOutline(std::string path, std::string text);
  ResultsOutline(const ResultsOutline&) = delete;
  ResultsOutline& operator=(const ResultsOutline&) = delete;

  const std::string& path() const { return path_; }
  // Without trials; `winner` is -1. Where the text is not what `tuner export` writes all of it was read, and these are
  // whole.
  const std::vector<Entry>& entries() const { return entries_; }
  bool is_whole() const { return is_whole_; }
  const Overrules& overrules() const { return overrules_; }
  // This one of entries() in whole, checked. Throws UserError with file and place.
  Entry whole(std::size_t index) const;

 private:
  static std::string read(const std::string& path);
  bool outline();
  bool outline_results(std::string_view list);

  std::string path_;
  std::string text_;
  GpuFacts gpu_;
  std::vector<Entry> entries_;
  std::vector<std::string_view> objects_;  // of entries_
  Overrules overrules_;
  bool is_whole_ = false;
};

}  // namespace tuner::store
