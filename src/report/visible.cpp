#include "report/visible.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace tuner::report {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no UTF-8 starts here
};

Character character_at(std::string_view text, std::size_t at) {
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};  // by the number of bytes
  const unsigned char first = byte_at(text, at);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF8 ? 0 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  if (bytes == 0 || at + bytes > text.size()) return {};
  std::uint32_t code = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const unsigned char next = byte_at(text, at + i);
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (next & 0x3Fu);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least[bytes] || code > 0x10FFFF || surrogate ? Character{} : Character{code, bytes};
}

// C0, DEL and C1; line and paragraph separators; marks and overrides of direction.
bool acts(std::uint32_t code) {
  const auto within = [code](std::uint32_t low, std::uint32_t high) { return code >= low && code <= high; };
  return code < 0x20 || within(0x7F, 0x9F) || code == 0x061C || within(0x200E, 0x200F) || within(0x2028, 0x202E) ||
         within(0x2066, 0x2069);
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (character.bytes == 1 && kept.find(text[at]) != std::string_view::npos)
      out += text[at];
    else if (character.bytes == 1 && text[at] == '\n')
      out += "\\n";
    else if (character.bytes == 1 && text[at] == '\t')
      out += "\\t";
    else if (character.bytes == 0 || (acts(character.code) && character.bytes == 1))
      out += fmt::format("\\x{:02x}", byte_at(text, at));
    else if (acts(character.code))
      out += fmt::format("\\u{:04x}", character.code);
    else
      out += text.substr(at, character.bytes);
    at += character.bytes == 0 ? 1 : character.bytes;
  }
  return out;
}

}  // namespace

std::string visible(std::string_view text) { return escaped(text, "\n\t"); }
std::string one_line(std::string_view text) { return escaped(text, ""); }

}  // namespace tuner::report
