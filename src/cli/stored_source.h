// The source of a trial from the texts that its database kept: files may have moved or changed since.
#pragma once

#include <memory>
#include <optional>

#include "cli/temp_folder.h"
#include "compile/render.h"
#include "store/store.h"

namespace tuner::cli {

// A kernel as it was, in the trial's regime. Its template and headers lie in `folder`; the files of a reference of its
// own do not.
struct StoredKernel {
  spec::KernelSpec kernel;
  compile::Source source;
  std::unique_ptr<TempFolder> folder;
};

// Empty when no kept manifest, template and headers render to what the trial was made of.
std::optional<StoredKernel> stored_kernel(const store::Store& store, const Trial& trial, const GpuFacts& gpu);

// As stored_kernel.
std::optional<compile::Source> stored_source(const store::Store& store, const Trial& trial, const GpuFacts& gpu);

}  // namespace tuner::cli
