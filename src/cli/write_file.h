// Files that a command leaves behind.
#pragma once

#include <functional>
#include <string>

namespace tuner::cli {

// Standard output for "" and "-". A file is written beside and renamed, so that a reader never sees half of it; links
// are followed, and a file that is there keeps its mode. What is no file (a FIFO, a device, a descriptor under /dev/fd)
// is written to. Throws MachineError.
void write_file(const std::string& path, const std::string& text);

// As write_file, with what `change` makes of what is there now; of several processes that do so one after the other
// reads and writes.
void rewrite_file(const std::string& path, const std::function<std::string()>& change);

}  // namespace tuner::cli
