// Files that a manifest names.
#pragma once

#include <string>

#include "spec/cursor.h"

namespace tuner::spec {

// The absolute path of an existing file; a relative one is from the folder of the file that is read. Throws UserError.
std::string existing_file(const Cursor& at);

}  // namespace tuner::spec
