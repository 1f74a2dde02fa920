#include "report/style.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "report/visible.h"

namespace tuner::report {
namespace {

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> plain_forms{
    {{"µ", "u"}, {"±", "+/-"}, {"…", "..."}, {"×", "x"}, {"→", "->"}, {"≤", "<="}}};

std::string to_ascii(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    bool replaced = false;
    for (const auto& [from, to] : plain_forms)
      if (text.compare(i, from.size(), from) == 0) {
        out += to;
        i += from.size();
        replaced = true;
        break;
      }
    if (replaced) continue;
    const auto byte = static_cast<unsigned char>(text[i++]);
    if (byte < 0x80)
      out += static_cast<char>(byte);
    else if (starts_character(static_cast<char>(byte)))
      out += '?';
  }
  return out;
}

// The locale in force for characters, as the C library would choose it.
bool locale_is_utf8(const std::function<std::optional<std::string>(const char*)>& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::optional<std::string> value = environment(name);
    if (!value || value->empty()) continue;
    return value->find("UTF-8") != std::string::npos || value->find("utf8") != std::string::npos ||
           value->find("utf-8") != std::string::npos || value->find("UTF8") != std::string::npos;
  }
  return false;
}

int width_of(int fd) {
  struct winsize size {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string Style::text(std::string_view utf8_text) const {
  const std::string shown = visible(utf8_text);
  return utf8 ? shown : to_ascii(shown);
}
std::string Style::bold(std::string_view utf8_text) const {
  return color ? "\033[1m" + text(utf8_text) + "\033[0m" : text(utf8_text);
}
std::string Style::dim(std::string_view utf8_text) const {
  return color ? "\033[2m" + text(utf8_text) + "\033[0m" : text(utf8_text);
}

Style detect_style(int fd, std::string_view color,
                   const std::function<std::optional<std::string>(const char*)>& environment) {
  Style style;
  const std::string term = environment("TERM").value_or("");
  style.terminal = isatty(fd) == 1 && term != "dumb";
  style.utf8 = locale_is_utf8(environment);
  style.width = width_of(fd);
  style.color =
      color == "always" || (color == "auto" && style.terminal && environment("NO_COLOR").value_or("").empty());
  return style;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const char byte : text) width += starts_character(byte) ? 1 : 0;
  return width;
}

std::string clipped(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t seen = 0;
  std::size_t end = 0;
  while (end < text.size() && !(starts_character(text[end]) && seen == width - 1)) {
    seen += starts_character(text[end]) ? 1 : 0;
    ++end;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace tuner::report
