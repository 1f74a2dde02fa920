// One configuration of a kernel: its active parameters in manifest order.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"

namespace tuner {

struct Config {
  std::vector<std::pair<std::string, Value>> params;

  const Value* find(std::string_view name) const;  // null when inactive or unknown
  std::string label() const;                       // "variant=vec block_size=256"
  bool operator==(const Config&) const = default;
};

// A self-describing JSON object in manifest order, e.g. {"variant":"vec","block_size":256}.
std::string to_json(const Config& config);
// Throws UserError on text that is not an object of integers, booleans and strings.
Config config_from_json(std::string_view text);

}  // namespace tuner
