// Words of the expression language. Private to space/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "space/expr.h"

namespace tuner::space {

struct Token {
  enum class Kind { number, real, identifier, symbol, end } kind = Kind::end;
  std::string_view text;  // in the expression
  std::int64_t number = 0;
  double real = 0;
  int column = 1;

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
};

class Lexer {
 public:
  // Both must outlive the lexer.
  Lexer(const std::string& text, const Origin* origin, Numbers numbers)
      : text_(text), origin_(origin), numbers_(numbers) {
    advance();
  }

  const Token& current() const { return token_; }
  void advance();
  [[noreturn]] void fail(const std::string& what, int column, const std::string& hint = {}) const;

 private:
  void read_number();
  void read_integer(std::size_t end);
  void read_real(std::size_t end);
  void read_symbol();
  [[noreturn]] void bad_character() const;

  const std::string& text_;
  const Origin* origin_;
  Numbers numbers_;
  std::size_t position_ = 0;
  Token token_;
};

}  // namespace tuner::space
