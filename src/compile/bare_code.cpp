#include "compile/bare_code.h"

#include <algorithm>
#include <iterator>

#include "compile/code_pieces.h"
#include "compile/render.h"
#include "core/hash.h"
#include "core/identifier.h"

namespace tuner::compile {
namespace {}  // namespace

std::string bare_code(std::string_view text) {
  std::string bare;
  for (const CodePiece& piece : code_pieces(text)) {
    const std::string_view part = text.substr(piece.begin, piece.end - piece.begin);
    if (piece.kind == CodePiece::Kind::code)
      std::copy_if(part.begin(), part.end(), std::back_inserter(bare), [](char c) { return !is_space(c); });
    else if (piece.kind != CodePiece::Kind::comment)
      bare += part;
  }
  return bare;
}

std::string bare_yaml(std::string_view text) {
  std::string bare;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == 0 && c == '#' && (at == 0 || is_space(text[at - 1]))) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = 0;
    if (quote != 0 || !is_space(c)) bare += c;
  }
  return bare;
}

std::string closure_hash(const spec::KernelSpec& kernel) {
  const TemplateClosure closure = closure_of(kernel);
  std::string all;
  const auto add = [&all](const std::string& part) { all += std::to_string(part.size()) + ":" + part; };
  add(bare_code(closure.text));
  for (const Header& header : closure.headers) add(header.name), add(bare_code(header.text));
  all += '|';
  for (const std::string& option : closure.options) add(option);
  if (!closure.outside.empty()) add("outside"), add(closure.outside);
  return content_hash(all);
}

std::string manifest_hash(const spec::KernelSpec& kernel) { return content_hash(bare_yaml(kernel.text)); }

}  // namespace tuner::compile
