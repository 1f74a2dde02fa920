// Text as it counts for whether something changed: without comments and white space.
#pragma once

#include <string>
#include <string_view>

#include "spec/kernel_spec.h"

namespace tuner::compile {

// Of C++ or CUDA; literals stand as they are.
std::string bare_code(std::string_view text);
// Of a manifest or a sweep file.
std::string bare_yaml(std::string_view text);

// Of the template, every header it includes, and the options; no configuration is in it. Throws as render does.
std::string closure_hash(const spec::KernelSpec& kernel);
std::string manifest_hash(const spec::KernelSpec& kernel);

}  // namespace tuner::compile
