// What a compiler says.
#pragma once

#include <string>
#include <string_view>

namespace tuner::compile {

// At most 64 KiB: the first errors are what matters, the end is kept as well.
std::string trimmed_log(std::string_view log);

// Bytes spilled, from the assembler's warnings: of each function the larger of its stores and loads, summed.
int spill_bytes(std::string_view log);

// The line that says what is wrong: the first, unless it only says where ("In function ...") or warns; then the first
// error behind it.
std::string_view told_line(std::string_view log);

// Without the source lines that g++ shows below a message: it reads them from whatever file of that name lies where it
// runs.
std::string without_excerpts(std::string_view log);

}  // namespace tuner::compile
