// The command line as plain data, checked against the flag table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "core/problem.h"

namespace tuner::cli {

class Arguments {
 public:
  const Command* command = nullptr;                                     // null: none was given
  std::map<std::string, std::vector<std::string>, std::less<>> values;  // by flag or positional name; switches hold ""

  bool has(std::string_view name) const { return values.find(name) != values.end(); }
  std::string text(std::string_view name, std::string_view fallback = {}) const;  // the last one given
  const std::vector<std::string>& all(std::string_view name) const;
  // Throws UserError unless the text is a decimal integer in [low, high].
  std::int64_t integer(std::string_view name, std::int64_t low, std::int64_t high, std::int64_t fallback) const;
  // "2%" as 0.02. Throws UserError unless the text is a percentage from 0 to 100.
  double share(std::string_view name, double fallback) const;
  // Throws UserError naming the flag when it was not given.
  std::string required(std::string_view name) const;
};

// Throws UserError; an unknown flag is found before anything else that is wrong.
Arguments parse(int argc, const char* const* argv);

// "name=value" texts as facts. Throws UserError naming `flag`.
Facts parse_assignments(const std::vector<std::string>& texts, std::string_view flag);

}  // namespace tuner::cli
