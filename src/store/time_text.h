// UTC now, ISO 8601 to the second: "2026-11-30T10:00:00Z".
#pragma once

#include <string>
#include <string_view>

namespace tuner::store {

std::string now_text();

// Whether it is such a time; a day such as the 31st of February passes.
bool is_time_text(std::string_view text);

}  // namespace tuner::store
