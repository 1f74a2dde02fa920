// What a source asks of the host device that it does not have, though CUDA's compilers do. Private to compile/.
#pragma once

#include <string>
#include <string_view>

namespace tuner::compile {

// Of a host compiler's log, where an error is about a word or a header of CUDA:
// "k.cu:3: the host device lacks '__vadd4'; ...". Empty where none is. `source` is the name of what
// was compiled.
std::string host_lacks(std::string_view log, const std::string& source);

}  // namespace tuner::compile
