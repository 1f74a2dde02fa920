// A user's C++ function, built by the system's compiler into a shared object that a reference process loads.
#pragma once

#include <chrono>
#include <string>

namespace tuner::compile {

// The path of the object; it goes when this process ends. `source` is included as it is, so that its own includes are
// found beside it. Throws UserError with the compiler's words, MachineError where there is no compiler.
std::string build_host_function(const std::string& source, const std::string& function);

}  // namespace tuner::compile
