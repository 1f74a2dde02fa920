// Text from anywhere (a reason, a name, a path, a log) made safe for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace tuner::report {

// What a terminal would act on is written out: control characters and bytes that are no UTF-8 as "\x1b", marks that
// turn the direction of writing as "\u202e". Line ends and tabs stay.
std::string visible(std::string_view text);

// The same of a value that has one line: line ends and tabs are written out too.
std::string one_line(std::string_view text);

}  // namespace tuner::report
