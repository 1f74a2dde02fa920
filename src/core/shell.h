// Words of a command line as a person can paste them into a shell.
#pragma once

#include <string>
#include <string_view>

namespace tuner {

// The word itself where no POSIX shell changes it, else in single quotes.
std::string shell_word(std::string_view word);

}  // namespace tuner
