// What `tuner check` did.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "report/style.h"
#include "tune/check.h"

namespace tuner::report {

struct CheckReport {
  std::string path;    // of the manifest
  std::string kernel;  // empty where it could not be read
  std::vector<UserError> faults;
  std::vector<std::string> open;  // FILE:LINE: TEXT of what is marked as not said yet
  bool example = false;           // nobody named the shape
  std::string no_compiler;        // why nothing was compiled for a GPU; empty where it was
  std::optional<tune::GpuCompile> compiled;
  std::optional<tune::Check> check;
  std::string next;  // the command to go on with
};

// A line for each fault, FILE:LINE:COLUMN: TEXT, its hint below.
std::string check_text(const CheckReport& report, const Style& style);
std::string check_json(const CheckReport& report);

}  // namespace tuner::report
