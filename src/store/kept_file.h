// Database files that are looked at beside SQLite.
#pragma once

#include <string>

namespace tuner::store {

// Open for reading, or -1 with errno. Never to be closed: POSIX drops every lock that this process has on a file when
// any descriptor of it is closed, SQLite's among them, and another process would then take the database for unused. A
// file is opened once, however often it is asked for.
int kept_descriptor(const std::string& path);

}  // namespace tuner::store
