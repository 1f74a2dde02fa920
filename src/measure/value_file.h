// Values kept in files: NumPy's .npy, or bytes as they lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/value.h"

namespace tuner::measure {

// `elements` of `type` as they lie in memory. A .npy file (versions 1 to 3, little-endian, C order) must hold exactly
// as many of exactly this type (bf16 and 8-bit types: as 16-bit and 8-bit unsigned integers); another file must have
// exactly as many bytes. Throws UserError naming the file and what it holds.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
std::vector<std::byte> read_values(const std::string& path, Type type, std::int64_t elements);

}  // namespace tuner::measure
