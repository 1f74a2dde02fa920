#include "compile/standard_headers.h"

#include <algorithm>
#include <array>
#include <string>

#include "compile/includes.h"

namespace tuner::compile {
namespace {

struct Standard {
  std::string_view c, cpp;  // "stdint.h", "cstdint"
  const char* text;         // what NVRTC has of it by itself is not in it
  std::string_view in_std;  // names that the one of C++ puts into std as well
};

constexpr std::string_view integers =
    "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t int_least8_t int_least16_t int_least32_t "
    "int_least64_t uint_least8_t uint_least16_t uint_least32_t uint_least64_t int_fast8_t int_fast16_t int_fast32_t "
    "int_fast64_t uint_fast8_t uint_fast16_t uint_fast32_t uint_fast64_t intptr_t uintptr_t intmax_t uintmax_t";

constexpr std::string_view functions =
    "abs fabs fmod remainder fma fmax fmin fdim exp exp2 expm1 log log10 log2 log1p pow sqrt cbrt hypot sin cos tan "
    "asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc tgamma lgamma ceil floor trunc round lround "
    "llround rint lrint llrint nearbyint frexp ldexp modf scalbn ilogb logb nextafter copysign isfinite isinf isnan "
    "signbit fabsf fmodf fmaf fmaxf fminf expf exp2f logf log2f powf sqrtf sinf cosf tanf tanhf floorf ceilf roundf "
    "rintf truncf";

#include "compile/standard_headers.inc"

Header header_of(const Standard& standard, std::string_view name) {
  std::string text = "#pragma once\n";
  // Each of the two may come, in either order: what they define stands once.
  std::string guard = "TUNER_HEADER_" + std::string(standard.c.substr(0, standard.c.find('.')));
  text += "#ifndef " + guard + "\n#define " + guard + "\n" + standard.text + "\n#endif\n";
  if (name != standard.cpp || standard.in_std.empty()) return {std::string(name), text};
  text += "namespace std {\n";
  for (std::string_view rest = standard.in_std; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    text.append("using ::").append(word).append(";\n");
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return {std::string(name), text + "}\n"};
}

const Standard* find(std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Standard& s) { return name == s.c || name == s.cpp; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

bool is_standard_header(std::string_view name) { return find(name) != nullptr; }

std::vector<Header> standard_headers(const Source& source) {
  std::vector<Header> headers;
  if (!has_angle_includes(source)) return headers;
  const auto add = [&](std::string_view text) {
    for (const IncludeLine& include : angle_includes_of(text)) {
      const Standard* standard = find(include.name);
      const bool known =
          std::any_of(headers.begin(), headers.end(), [&](const Header& h) { return h.name == include.name; });
      if (standard != nullptr && !known && find_include(include.name, source.include_dirs).empty())
        headers.push_back(header_of(*standard, include.name));
    }
  };
  add(source.text);
  for (const Header& header : source.headers) add(header.text);
  return headers;
}

}  // namespace tuner::compile
