#include "space/lexer.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

namespace tuner::space {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Longest first.
constexpr std::array<std::string_view, 20> kSymbols = {"//", "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+",
                                                       "-",  "*",  "/",  "%",  "!",  "?",  ":",  "(", ")", ","};

struct Mistake {
  std::string_view text;
  std::string_view hint;
};
// What people write from habit, found before the symbols above.
constexpr std::array<Mistake, 12> kMistakes = {{{"===", "use '=='"},
                                                {"**", "use pow2(n) for powers of two"},
                                                {"<<", "use '* pow2(n)'"},
                                                {">>", "use '// pow2(n)'"},
                                                {"<>", "use '!='"},
                                                {"=<", "use '<='"},
                                                {"=>", "use '>='"},
                                                {"~", "there are no bit operations"},
                                                {"^", "there are no bit operations; pow2(n) is 2 to the n"},
                                                {"\"", "names are written without quotes"},
                                                {"'", "names are written without quotes"},
                                                {"[", "lists are written with round brackets: x in (1, 2)"}}};

// The character at `at`, whole when it is UTF-8.
std::string whole_character(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && end < at + 4 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  const auto first = static_cast<unsigned char>(text[at]);
  if (first >= 0x20 && first < 0x7F) return std::string(text.substr(at, 1));
  if (first >= 0xC2 && end > at + 1) return std::string(text.substr(at, end - at));
  return fmt::format("\\x{:02x}", first);
}

}  // namespace

void Lexer::fail(const std::string& what, int column, const std::string& hint) const {
  throw ExprError(what, column, text_, hint, origin_);
}

void Lexer::advance() {
  while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
  token_ = Token{};
  token_.column = static_cast<int>(position_) + 1;
  if (position_ >= text_.size()) return;
  const char c = text_[position_];
  if (is_digit(c)) return read_number();
  if (!is_word(c)) return read_symbol();
  std::size_t end = position_;
  while (end < text_.size() && is_word(text_[end])) ++end;
  token_.kind = Token::Kind::identifier;
  token_.text = std::string_view(text_).substr(position_, end - position_);
  position_ = end;
}

void Lexer::read_number() {
  const auto words_from = [this](std::size_t at) {
    while (at < text_.size() && is_word(text_[at])) ++at;
    return at;
  };
  std::size_t end = words_from(position_);
  if (numbers_ == Numbers::integers) {
    read_integer(end);
    if (end < text_.size() && text_[end] == '.')
      fail("numbers are integers, '.' is not allowed", static_cast<int>(end) + 1);
    return;
  }
  if (end < text_.size() && text_[end] == '.') end = words_from(end + 1);
  const bool exponent = text_[end - 1] == 'e' || text_[end - 1] == 'E';
  if (exponent && end < text_.size() && (text_[end] == '-' || text_[end] == '+')) end = words_from(end + 1);
  const std::string_view word = std::string_view(text_).substr(position_, end - position_);
  if (word.find_first_of(".eE") == std::string_view::npos)
    read_integer(end);
  else
    read_real(end);
}

void Lexer::read_integer(std::size_t end) {
  token_.kind = Token::Kind::number;
  token_.text = std::string_view(text_).substr(position_, end - position_);
  for (const char c : token_.text) {
    if (!is_digit(c)) fail(fmt::format("'{}' is not a decimal integer", token_.text), token_.column);
    if (__builtin_mul_overflow(token_.number, std::int64_t{10}, &token_.number) ||
        __builtin_add_overflow(token_.number, std::int64_t{c - '0'}, &token_.number))
      fail("the integer " + std::string(token_.text) + " does not fit 64 bits", token_.column);
  }
  position_ = end;
}

// The library takes "1." and ".5", "1e" and more: digits must stand on both sides of the point.
void Lexer::read_real(std::size_t end) {
  token_.kind = Token::Kind::real;
  token_.text = std::string_view(text_).substr(position_, end - position_);
  const std::size_t point = token_.text.find('.');
  const bool naked =
      point != std::string_view::npos && (point + 1 == token_.text.size() || !is_digit(token_.text[point + 1]));
  const char* last = token_.text.data() + token_.text.size();
  const auto [rest, error] = std::from_chars(token_.text.data(), last, token_.real);
  if (naked || rest != last || error != std::errc{} || !std::isfinite(token_.real))
    fail(fmt::format("'{}' is not a number", token_.text), token_.column, "e.g. 0.5 or 1e12");
  position_ = end;
}

void Lexer::read_symbol() {
  const std::string_view rest = std::string_view(text_).substr(position_);
  for (const Mistake& mistake : kMistakes)
    if (rest.substr(0, mistake.text.size()) == mistake.text)
      fail("unexpected '" + std::string(mistake.text) + "'", token_.column, std::string(mistake.hint));
  for (const std::string_view symbol : kSymbols) {
    if (rest.substr(0, symbol.size()) != symbol) continue;
    if (symbol == "/" && numbers_ == Numbers::integers) break;
    token_.kind = Token::Kind::symbol;
    token_.text = rest.substr(0, symbol.size());
    position_ += symbol.size();
    return;
  }
  bad_character();
}

void Lexer::bad_character() const {
  const char c = text_[position_];
  std::string hint;
  if (c == '=') hint = "use '==' to compare";
  if (c == '/') hint = "use '//' for integer division";
  if (c == '&') hint = "use '&&'";
  if (c == '|') hint = "use '||'";
  if (c == '.') hint = numbers_ == Numbers::integers ? "numbers are integers" : "write 0.5, not .5";
  fail("unexpected '" + whole_character(text_, position_) + "'", token_.column, hint);
}

}  // namespace tuner::space
