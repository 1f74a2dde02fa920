// A trial as people name it: "8" is one of the database, "shipped:8" one of a layer of results files, which numbers the
// trials of each result from 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tuner::cli {

struct TrialName {
  std::string layer = "user";
  std::int64_t id = 0;
};

// Empty for what is none: report::trial_name the other way round.
std::optional<TrialName> trial_name(const std::string& text);

// Throws UserError that says how trials are named.
TrialName required_trial_name(const std::string& text, const std::string& where);

}  // namespace tuner::cli
