// Dynamic shared memory of CUDA sources for the host device, which has no arrays of unknown size.
#pragma once

#include <string>

namespace tuner::compile {

// `extern __shared__ T name[];` as a pointer to the launch's dynamic shared memory, on the same line. Outside of
// functions there is no launch: the declaration goes, and each function behind it that uses the name begins with the
// pointer.
std::string with_dynamic_shared(const std::string& text);

}  // namespace tuner::compile
