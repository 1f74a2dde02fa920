// Amounts of memory as people read them.
#pragma once

#include <concepts>
#include <string>

namespace tuner {

// "512 B", "48 KiB", "1.5 GiB"; up to EiB. `bytes` is not negative.
std::string bytes_text(double bytes);
std::string bytes_text(std::integral auto bytes) { return bytes_text(static_cast<double>(bytes)); }

}  // namespace tuner
