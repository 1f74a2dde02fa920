// What ncu writes: a table in CSV, and lines that begin with "==".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters.h"

namespace tuner::profile {

// "gemv" of "void ns::gemv<float>(const float *, int)": how ncu names a function by itself.
std::string function_in(const std::string& kernel);

// A launch as ncu counted it.
struct Row {
  std::string kernel;  // function_in its name
  LaunchCounters counters;
};

// The table of `--csv --page raw --print-units base`, whatever stands around it; `metrics` are those that were asked.
// Empty where there is no table.
std::vector<Row> rows_of(const std::string& text, const std::vector<std::string>& metrics);

// Metrics that this ncu or GPU does not have, where it refused the whole run because of them.
std::vector<std::string> unknown_metrics(const std::string& text, const std::vector<std::string>& asked);

// Why there is no table.
struct Refusal {
  std::string what, hint;
};
// That of counters refused, held or not there, or ncu's own words; empty where it complains of nothing, or only of what
// the command returned.
std::optional<Refusal> refusal_in(const std::string& text);

}  // namespace tuner::profile
