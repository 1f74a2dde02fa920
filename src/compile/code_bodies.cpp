#include "compile/code_bodies.h"

#include "core/identifier.h"

namespace tuner::compile {
namespace {

bool opens_a_scope(std::string_view lead, bool into_classes) {
  if (has_word(lead, "namespace")) return true;
  if (lead.find('(') != std::string_view::npos) return false;
  return has_word(lead, "extern") ||
         (into_classes && (has_word(lead, "struct") || has_word(lead, "class") || has_word(lead, "union")));
}

}  // namespace

std::size_t behind_block(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    depth += code[at] == '{' ? 1 : code[at] == '}' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return code.size();
}

std::vector<CodeBody> bodies_of(std::string_view code, bool into_classes) {
  std::vector<CodeBody> bodies;
  std::size_t lead = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] == ';' || code[at] == '}') lead = at + 1;
    if (code[at] != '{') continue;
    if (opens_a_scope(code.substr(lead, at - lead), into_classes)) {
      lead = at + 1;
      continue;
    }
    const std::size_t behind = behind_block(code, at);
    bodies.push_back({lead, at, code[behind - 1] == '}' ? behind - 1 : behind});
    at = behind - 1;
    lead = behind;
  }
  return bodies;
}

}  // namespace tuner::compile
