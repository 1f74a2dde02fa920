// What to do about a source that does not compile, where the tool's own ways are what is in its way.
#pragma once

#include <string>

#include "compile/render.h"
#include "core/artifact.h"

namespace tuner::compile {

// A line "hint: ..." to stand behind a compiler's log; empty where nothing is known. Known are declarations of what is
// a macro in front of the source, and headers and host code that NVRTC does not take.
std::string log_hint(const Source& source, const std::string& log);

// With that line, where it did not compile.
Artifact with_hint(Artifact artifact, const Source& source);

}  // namespace tuner::compile
