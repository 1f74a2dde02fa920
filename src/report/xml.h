// Text in XML.
#pragma once

#include <string>
#include <string_view>

namespace tuner::report {

// As it may stand between tags or in double quotes; what XML cannot hold is the caller's to leave out.
std::string xml_escaped(std::string_view text);

}  // namespace tuner::report
