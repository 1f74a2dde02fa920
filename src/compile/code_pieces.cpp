#include "compile/code_pieces.h"

#include <algorithm>

#include "core/identifier.h"

namespace tuner::compile {
namespace {

using Kind = CodePiece::Kind;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Cutter {
 public:
  explicit Cutter(std::string_view text) : text_(text) {}

  std::vector<CodePiece> run() {
    while (at_ < text_.size()) step();
    code_until(at_);
    return std::move(pieces_);
  }

 private:
  void step() {
    const char c = text_[at_];
    const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (c == '/' && next == '/') return piece(Kind::comment, at_, end_of_line(at_));
    if (c == '/' && next == '*') return piece(Kind::comment, at_, behind("*/", at_ + 2));
    if (c == '\n') return new_line();
    if (c == '#' && line_is_empty_ && !in_directive_) {
      code_until(at_);
      in_directive_ = true;
    }
    if (!is_space(c)) line_is_empty_ = false;
    if (c == '"' || c == '\'') return piece(Kind::literal, at_, end_of_literal(at_));
    if (is_digit(c))
      at_ = end_of_number(at_);
    else if (in_identifier(c))
      word();
    else
      ++at_;
  }

  // An identifier, or what stands in front of a literal.
  void word() {
    std::size_t end = at_;
    while (end < text_.size() && in_identifier(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    const bool raw = word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
    if (raw && end < text_.size() && text_[end] == '"') return piece(Kind::raw_literal, at_, end_of_raw(end));
    at_ = end;
  }

  void new_line() {
    if (!is_continued(at_)) {
      if (in_directive_) code_until(at_);
      in_directive_ = false;
      line_is_empty_ = true;
    }
    ++at_;
  }

  void code_until(std::size_t end) {
    if (begin_ < end) pieces_.push_back({Kind::code, in_directive_, begin_, end});
    begin_ = end;
  }

  void piece(Kind kind, std::size_t begin, std::size_t end) {
    code_until(begin);
    pieces_.push_back({kind, in_directive_, begin, end});
    begin_ = at_ = end;
  }

  bool is_continued(std::size_t end) const {
    while (end > 0 && (text_[end - 1] == ' ' || text_[end - 1] == '\t' || text_[end - 1] == '\r')) --end;
    return end > 0 && text_[end - 1] == '\\';
  }

  // Of a line that may go on behind a backslash.
  std::size_t end_of_line(std::size_t at) const {
    std::size_t end = std::min(text_.find('\n', at), text_.size());
    while (end < text_.size() && is_continued(end)) end = std::min(text_.find('\n', end + 1), text_.size());
    return end;
  }

  std::size_t behind(std::string_view close, std::size_t from) const {
    const std::size_t at = text_.find(close, from);
    return at == std::string_view::npos ? text_.size() : at + close.size();
  }

  // One that does not end on its line ends with it.
  std::size_t end_of_literal(std::size_t at) const {
    const char quote = text_[at++];
    while (at < text_.size() && text_[at] != quote && text_[at] != '\n') at += text_[at] == '\\' ? 2 : 1;
    if (at >= text_.size()) return text_.size();
    return text_[at] == quote ? at + 1 : at;
  }

  // R"x(...)x" whose quote is at `at`.
  std::size_t end_of_raw(std::size_t at) const {
    const std::size_t open = text_.find('(', at);
    if (open == std::string_view::npos) return text_.size();
    return behind(")" + std::string(text_.substr(at + 1, open - at - 1)) + "\"", open);
  }

  // 1'000 is one, and no character begins in it.
  std::size_t end_of_number(std::size_t at) const {
    const auto goes_on = [this](std::size_t i) { return i < text_.size() && in_identifier(text_[i]); };
    while (goes_on(at) || (at < text_.size() && (text_[at] == '.' || (text_[at] == '\'' && goes_on(at + 1))))) ++at;
    return at;
  }

  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0;
  bool line_is_empty_ = true, in_directive_ = false;
  std::vector<CodePiece> pieces_;
};

void fill(std::string& text, std::size_t begin, std::size_t end, char with) {
  for (; begin < end; ++begin)
    if (text[begin] != '\n') text[begin] = with;
}

}  // namespace

std::vector<CodePiece> code_pieces(std::string_view text) { return Cutter(text).run(); }

std::string comments_blanked(std::string_view text) {
  std::string code(text);
  for (const CodePiece& piece : code_pieces(text))
    if (piece.kind == Kind::comment || piece.kind == Kind::raw_literal) fill(code, piece.begin, piece.end, ' ');
  return code;
}

std::string plain_code(std::string_view text, char directives) {
  std::string code(text);
  for (const CodePiece& piece : code_pieces(text)) {
    if (piece.kind == Kind::comment) {
      fill(code, piece.begin, piece.end, ' ');
    } else if (piece.in_directive) {
      fill(code, piece.begin, piece.end, directives);
    } else if (piece.kind != Kind::code) {
      const char quote = piece.kind == Kind::literal ? text[piece.begin] : '"';
      fill(code, piece.begin, piece.end, ' ');
      code[piece.begin] = quote;
      if (code[piece.end - 1] != '\n') code[piece.end - 1] = quote;  // a damaged one may end with a line
    }
  }
  return code;
}

}  // namespace tuner::compile
