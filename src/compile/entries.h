// The entries of a source, as its manifest names them, and the symbols they have in a cubin.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/artifact.h"

namespace tuner::compile {

// Gives the kernels of a cubin the names of the entries; `symbols` are those of the entries, in their order. Kernels
// that are no entry keep their symbol as their name. Empty where every entry is a kernel, else a sentence that says
// which one is not, and what there is.
std::string name_kernels(std::vector<KernelAttributes>& kernels, const std::vector<std::string>& entries,
                         const std::vector<std::string>& symbols);

struct EntryFault {
  std::string entry;
  std::string message;  // the compiler's
};

// What the first error of a log says about an entry; nothing where that error is about something else. `file` is how
// the compiler calls the lines that name the entries, one a line.
std::optional<EntryFault> entry_fault(std::string_view log, std::string_view file,
                                      const std::vector<std::string>& entries);

// "no __global__ function 'k<2>'".
std::string no_kernel(std::string_view entry);

}  // namespace tuner::compile
