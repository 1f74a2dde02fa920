// What a stream can show: colour, UTF-8, a line that is rewritten. Colour never carries meaning alone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tuner::report {

struct Style {
  bool color = false;
  bool terminal = false;  // a line may be rewritten
  bool utf8 = true;
  int width = 80;  // columns of the terminal

  // `text` as this stream can show it: control characters written out (report/visible.h); without UTF-8, "µs" becomes
  // "us", "±" "+/-", and so on. All that is printed for people goes through one of these three, and once more is no
  // harm.
  std::string text(std::string_view utf8_text) const;
  std::string bold(std::string_view utf8_text) const;
  std::string dim(std::string_view utf8_text) const;
};

// `color`: "auto" (off when not a terminal, TERM=dumb, or NO_COLOR is set and not empty), "always" or "never".
Style detect_style(int fd, std::string_view color,
                   const std::function<std::optional<std::string>(const char*)>& environment);

// Columns that UTF-8 text takes; every character we print is one column wide.
std::size_t display_width(std::string_view text);
// At most `width` columns, the last of them "…" where something was cut.
std::string clipped(std::string_view text, std::size_t width);

}  // namespace tuner::report
