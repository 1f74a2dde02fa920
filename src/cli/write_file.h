// Files that a command leaves behind.
#pragma once

#include <string>

namespace tuner::cli {

// Standard output for "" and "-". A file is written beside and renamed, so that a reader never sees half of it. Throws
// MachineError.
void write_file(const std::string& path, const std::string& text);

}  // namespace tuner::cli
