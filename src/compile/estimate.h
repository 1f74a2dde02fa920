// How long compiles take, about: a right answer within a factor of two is what it is for.
#pragma once

#include <cstdint>

namespace tuner::compile {

// Seconds for so many compiles that the cache has not got, by NVRTC or, `emulated`, by the host's C++ compiler; `jobs`
// at once (0: the CPUs this process may use).
double compile_seconds(std::int64_t compiles, int jobs, bool emulated);

}  // namespace tuner::compile
