// What is computed: a kernel, a shape and named facts. This is the key of a tuned answer, beside GPU and regime.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"

namespace tuner {

using Facts = std::vector<std::pair<std::string, Value>>;

struct Problem {
  std::string kernel;              // the manifest's name, e.g. "gemv_f16"
  std::vector<std::int64_t> dims;  // in the manifest's order, every one >= 1
  Facts facts;                     // all of the manifest's facts, defaults filled in, in manifest order

  const Value* fact(std::string_view name) const;
  bool operator==(const Problem&) const = default;
};

// "4096x14336".
std::string shape_text(const std::vector<std::int64_t>& dims);
// What a manifest says where the shapes made up to verify at are too much for a kernel: "`awkward: [37x131, 1x1]` in
// the manifest names smaller shapes to verify at beside its own". Of as many dimensions.
std::string smaller_awkward(std::size_t dims);
// Decimal numbers >= 1 joined by `x`, the product of all below 2^63. Throws UserError naming the fault; `where` is the
// flag or file position it came from.
std::vector<std::int64_t> parse_shape(std::string_view text, std::string_view where);

// "batch=1 row_stride=4096 y=f16", sorted by name: the stored form of the facts in a key.
std::string facts_key(const Facts& facts);
std::string to_json(const Facts& facts);
Facts facts_from_json(std::string_view text);

}  // namespace tuner
