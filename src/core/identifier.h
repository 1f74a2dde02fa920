// What C++ and its preprocessor take for a part of a name.
#pragma once

namespace tuner {

constexpr bool in_identifier(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

}  // namespace tuner
