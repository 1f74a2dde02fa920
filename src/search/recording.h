// A sweep that somebody measured in full, as a device that answers without a GPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/domain.h"

namespace tuner::search {

struct Recording {
  struct Row {
    Point point;
    double time = 0;     // in a unit of its own, lower is better; 0: no good
    double seconds = 0;  // that trying it took
  };

  std::string name;   // of its file, without folder and endings
  std::string about;  // "gemv_f16 1024x4096 on NVIDIA H200"
  std::vector<Axis> axes;
  std::vector<Row> rows;  // each point once
  std::string notes;      // what was left out; may be empty

  // Of the good ones; 0 where there is none.
  double least() const;
  // How many are within this share of the least.
  std::size_t within(double share) const;
};

// Reads what `tuner export --format replay` wrote, a cache file of Kernel Tuner, or results in the T4 format; of each
// also what gzip made of it. Throws UserError for anything else, and where nothing in it is good; MachineError where
// gzip cannot be run.
Recording read_recording(const std::string& path);
Recording parse_recording(std::string_view text, const std::string& path);

}  // namespace tuner::search
