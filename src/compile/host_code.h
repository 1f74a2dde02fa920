// What stands in a source for the CPU that launches its kernels, and has no place in the host device's modules.
#pragma once

#include <string>
#include <string_view>

namespace tuner::compile {

// Without the functions, at any depth of namespaces, that launch with <<<>>>, call the CUDA runtime, or are `main`; an
// `inline`, `static` or template before them goes too. Lines keep their numbers.
std::string without_host_code(std::string_view text);

}  // namespace tuner::compile
