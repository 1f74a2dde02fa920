// This program's own path, for the children that are copies of it.
#pragma once

#include <string>

namespace tuner::proc {

// "/proc/self/exe" unless set: it names this very binary even after the file was replaced or removed.
const std::string& own_program();
// For tests, before any thread starts.
void set_own_program(std::string path);

}  // namespace tuner::proc
