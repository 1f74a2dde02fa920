// An artifact as bytes: from a compile child to its parent, and in the cache.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/artifact.h"

namespace tuner::compile {

std::string encode_artifact(const Artifact& artifact);
// Empty when the bytes are not a whole artifact of this version.
std::optional<Artifact> decode_artifact(std::string_view bytes);

}  // namespace tuner::compile
