// Words of a command line as a person can paste them into a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner {

// The word itself where no POSIX shell changes it, else in single quotes.
std::string shell_word(std::string_view word);

// `text` as a POSIX shell splits it: blanks, backslashes, single and double quotes; nothing is expanded. Throws
// UserError at `where` for a quote without its end and for a backslash at the end.
std::vector<std::string> shell_words(std::string_view text, const std::string& where);

}  // namespace tuner
