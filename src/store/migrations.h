// The numbered schema migrations of db/, embedded when the project is configured.
#pragma once

#include <string_view>
#include <vector>

namespace tuner::store {

// Entry i brings a database of version i to version i + 1.
struct Migration {
  std::string_view name;
  std::string_view sql;
};
const std::vector<Migration>& migrations();

// Oldest schema version whose readers understand what the newest migration leaves.
inline constexpr int min_reader = 1;
// "tunr" in the file's header.
inline constexpr int application_id = 0x74756e72;

}  // namespace tuner::store
