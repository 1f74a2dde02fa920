// The macros that stand in front of a kernel's source. Private to spec/.
#pragma once

#include "spec/cursor.h"
#include "spec/faults.h"
#include "spec/kernel_spec.h"

namespace tuner::spec {

// Throws UserError when a macro of a parameter, choice or fact would hide an argument or an entry, when two macros have
// one name, or when a macro would hide a word of C++. Positions are those of the manifest's root.
void check_macros(const KernelSpec& kernel, const Cursor& root, Faults* faults = nullptr);

}  // namespace tuner::spec
