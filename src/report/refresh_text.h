// What `tuner refresh` found, or would look at: a line a result, and one JSON document.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/style.h"
#include "tune/refresh.h"

namespace tuner::report {

// "gemv_f16 4096x14336: confirmed, 28.20 µs -> 28.35 µs". `sweep`, the command that would say what is best, stands
// below what could not be confirmed.
std::string refreshed_text(const tune::Refreshed& found, const std::string& sweep, const Style& style);
// "gemv_f16 4096x14336: changed, template; 4 configurations (shipped results)".
std::string stored_row_text(const tune::StoredRow& row, const Style& style);

struct RefreshRow {
  const tune::StoredRow* row = nullptr;
  std::optional<tune::Refreshed> found{};  // empty: it was not reached, or nothing is run
  std::string sweep{};                     // as in refreshed_text
};

struct RefreshReport {
  GpuFacts gpu;
  bool emulated = false;
  bool dry_run = false;
  int known = 0;  // results that were asked about
  std::vector<RefreshRow> rows{};
  bool interrupted = false;
  std::vector<std::string> warnings{};
};
std::string refresh_json(const RefreshReport& report);

}  // namespace tuner::report
