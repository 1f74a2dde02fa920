// Registers, shared memory and parameters of every kernel in a cubin, read from its ELF sections with no GPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/artifact.h"

namespace tuner::compile {

// Each entry is its symbol. Throws std::runtime_error on bytes that are no cubin; never reads outside `bytes`.
std::vector<KernelAttributes> read_cubin(std::string_view bytes);

// A hash of code, constants and launch facts only: equal for two sources that compile to the same kernels.
std::string code_hash(std::string_view cubin);

}  // namespace tuner::compile
