// How entries are found in what nvcc makes, which tells no symbols: behind the source stands a kernel for each entry
// that has the entry as its template argument. That instantiates it, and the marker's demangled name holds the entry's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/render.h"
#include "core/artifact.h"

namespace tuner::compile {

// The lines behind the source; those that name the entries, one a line, are in entries_file (compile/host_unit.h).
std::string entry_markers(const Source& source);

bool is_entry_marker(std::string_view symbol);

// Takes the markers out of the kernels of a cubin. The symbols of `count` entries, in their order; empty where the
// entry is no kernel.
std::vector<std::string> take_entry_markers(std::vector<KernelAttributes>& kernels, std::size_t count);

}  // namespace tuner::compile
