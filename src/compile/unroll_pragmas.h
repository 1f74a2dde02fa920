// `#pragma unroll NAME` for nvcc, which puts no macro into a pragma; NVRTC does. Private to compile/.
#pragma once

#include <string>
#include <string_view>

namespace tuner::compile {

// `body` with the macros that `front`, lines of #define, gives put into its unroll pragmas. Macros that the body
// defines itself are left.
std::string with_unroll_values(std::string_view body, std::string_view front);

}  // namespace tuner::compile
