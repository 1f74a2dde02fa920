// UTC now, ISO 8601 to the second: "2026-11-30T10:00:00Z".
#pragma once

#include <string>

namespace tuner::store {

std::string now_text();

}  // namespace tuner::store
