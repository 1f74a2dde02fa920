// The text of one translation unit of the host build: what stands for CUDA, the headers, then every configuration in a
// namespace of its own, and a table of them.
#pragma once

#include <string>
#include <vector>

#include "compile/render.h"

namespace tuner::compile {

// A configuration's headers come once, in front of all, where they mention none of its macros; else within it.
std::string host_unit(const std::vector<const Source*>& sources);

// How the compiler calls the lines that name a source's entries, one a line.
std::string entries_file(const Source& source);

// Whether these two may share a unit: equal headers of one name, equal flags, and nothing that is read from
// `include_dirs`, which must come once with each configuration's macros.
bool may_share(const Source& a, const Source& b);

// What of a source's options counts for a host compiler too: macros, folders, the language from C++20 on.
std::vector<std::string> host_flags(const Source& source);

// What every unit begins with: part of the key of what is built.
const std::string& host_prelude();

// The words that a text defines as macros.
std::vector<std::string> macros_of(std::string_view text);

}  // namespace tuner::compile
