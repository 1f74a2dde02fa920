// The headers of C that NVRTC does not have, as far as device code has a use for them. Private to compile/ and cli/.
#pragma once

#include <string_view>
#include <vector>

#include "compile/render.h"

namespace tuner::compile {

// "cstdint", "stdint.h", ...
bool is_standard_header(std::string_view name);

// Those that the source or a header that travels with it includes in angle brackets, for NVRTC to find by name. Not
// those that lie in its `include_dirs`.
std::vector<Header> standard_headers(const Source& source);

}  // namespace tuner::compile
