// Names of a manifest (letters, digits and '_') as names of C++, such that none is taken for another nor for one of the
// header's own.
#pragma once

#include <string>
#include <string_view>

namespace tuner::exporting {

// A dimension, fact or parameter as a field: the name itself, with a '_' behind a word of C++, a common macro, and what
// ends in '_' already.
std::string field_name(std::string_view text);
// A kernel as a struct of the header's namespace; what the header says itself is taken there, too.
std::string struct_name(std::string_view text);

}  // namespace tuner::exporting
