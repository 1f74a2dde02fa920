// The parts of the exported header that are the same for every kernel.
#pragma once

#include <string_view>

namespace tuner::exporting {

// In order: before the prelude of tuner_expr; what it has besides; types and small functions, which use the generated
// limits; the ladder, generic over a kernel.
extern const std::string_view header_top;
extern const std::string_view header_sized;
extern const std::string_view header_types;
extern const std::string_view header_ladder;
extern const std::string_view header_bottom;

}  // namespace tuner::exporting
