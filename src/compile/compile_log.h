// What a compiler says.
#pragma once

#include <string>
#include <string_view>

namespace tuner::compile {

// At most 64 KiB: the first errors are what matters, the end is kept as well.
std::string trimmed_log(std::string_view log);

// Bytes spilled, from the assembler's warnings: of each function the larger of its stores and loads, summed.
int spill_bytes(std::string_view log);

}  // namespace tuner::compile
