// Walks JSON text without a tree: finds where values stand. It sees brackets, strings and separators, and what a value
// says only where it is asked for.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tuner::store {

// Brackets within brackets that a file may have: a parser's tree is walked recursively.
inline constexpr int most_nested = 64;

// Whether brackets, outside strings, are nested deeper than most_nested anywhere.
bool nested_too_deeply(std::string_view text);

class JsonScan {
 public:
  explicit JsonScan(std::string_view text) : text_(text) {}

  // Skips white space, then takes this character where it stands next.
  bool take(char c);
  // Skips white space; whether nothing is left.
  bool at_end();
  // A string without escapes and the colon behind it.
  std::optional<std::string_view> key();
  // The text of the next value, whatever it is; empty where none stands or it does not end.
  std::optional<std::string_view> value();

 private:
  void skip_space();
  bool skip_string();
  bool skip_nested();

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace tuner::store
