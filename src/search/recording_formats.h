// The formats of recorded sweeps, each read in a file of its own. Private to search/.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "search/recording.h"

namespace tuner::search {

// What a format's reader throws for what it does not understand; read_recording makes a UserError of it.
struct BadRecording : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Recording parse_own(std::string_view text);           // tuner export --format replay
Recording parse_kernel_tuner(std::string_view text);  // a cache file
Recording parse_t4(std::string_view text);

// Collects rows whose values become known as they come.
class RecordingBuilder {
 public:
  explicit RecordingBuilder(const std::vector<std::string>& parameters);

  // In JSON text, one value a parameter, "null" where it is inactive. A point that was there before is left out.
  void add(const std::vector<std::string>& values, double time, double seconds);
  // Fills axes and rows. Values are in order of size where all are whole numbers.
  void finish(Recording& recording);

 private:
  std::vector<std::string> names_;
  std::vector<std::map<std::string, int>> known_;  // by parameter: the JSON of a value, and its place
  std::vector<std::vector<Value>> values_;
  std::vector<Recording::Row> rows_;
  std::unordered_map<Point, std::size_t, PointHash> seen_;
  std::size_t repeated_ = 0;
};

}  // namespace tuner::search
