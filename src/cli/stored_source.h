// The source of a trial from the texts that its database kept: files may have moved or changed since.
#pragma once

#include <optional>

#include "compile/render.h"
#include "store/store.h"

namespace tuner::cli {

// Empty when no kept manifest, template and headers render to what the trial was made of.
std::optional<compile::Source> stored_source(const store::Store& store, const Trial& trial, const GpuFacts& gpu);

}  // namespace tuner::cli
