#include "compile/dynamic_shared.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <regex>
#include <string_view>
#include <vector>

#include "compile/code_pieces.h"
#include "core/identifier.h"

namespace tuner::compile {
namespace {

struct Body {
  std::size_t lead = 0;            // where its declaration begins
  std::size_t begin = 0, end = 0;  // behind its brackets' first, at their last
};

bool opens_a_scope(std::string_view lead) {
  if (has_word(lead, "namespace")) return true;
  const bool has_parameters = lead.find('(') != std::string_view::npos;
  return !has_parameters &&
         (has_word(lead, "extern") || has_word(lead, "struct") || has_word(lead, "class") || has_word(lead, "union"));
}

std::vector<Body> bodies_of(std::string_view code) {
  std::vector<Body> bodies;
  std::size_t lead = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] == ';' || code[at] == '}') lead = at + 1;
    if (code[at] != '{') continue;
    if (opens_a_scope(code.substr(lead, at - lead))) {
      lead = at + 1;
      continue;
    }
    std::size_t end = at + 1;
    for (int depth = 1; end < code.size(); ++end) {
      depth += code[end] == '{' ? 1 : code[end] == '}' ? -1 : 0;
      if (depth == 0) break;
    }
    bodies.push_back({lead, at + 1, end});
    at = end;
    lead = end + 1;
  }
  return bodies;
}

struct Edit {
  std::size_t begin = 0, end = 0;
  std::string text;
};

std::string pointer(const std::string& type, const std::string& name) {
  return fmt::format("{0}* const {1} = reinterpret_cast<{0}*>(::tuner_simt::tuner_dynamic_shared());", type, name);
}

}  // namespace

std::string with_dynamic_shared(const std::string& text) {
  if (text.find("extern") == std::string::npos) return text;
  static const std::regex declaration(
      R"(extern\s+__shared__\s+(?:(?:__align__|alignas)\s*\([^()]*\)\s*)?([\w:<>,\s\*]*?[\w>\*])\s*\b(\w+)\s*\[\s*\]\s*;)");
  const std::string code = plain_code(text);
  const std::string_view view = code;
  const std::vector<Body> bodies = bodies_of(view);
  std::vector<Edit> edits;
  for (std::sregex_iterator match(text.begin(), text.end(), declaration), none; match != none; ++match) {
    const auto begin = static_cast<std::size_t>(match->position());
    const std::size_t end = begin + static_cast<std::size_t>(match->length());
    const std::string type = (*match)[1], name = (*match)[2];
    if (std::any_of(bodies.begin(), bodies.end(),
                    [&](const Body& body) { return body.begin <= begin && begin < body.end; })) {
      edits.push_back({begin, end, pointer(type, name)});
      continue;
    }
    edits.push_back(
        {begin, end,
         std::string(static_cast<std::size_t>(std::count(text.begin() + match->position(),
                                                         text.begin() + match->position() + match->length(), '\n')),
                     '\n')});
    for (const Body& body : bodies)
      if (body.begin > end && has_word(view.substr(body.begin, body.end - body.begin), name) &&
          !has_word(view.substr(body.lead, body.begin - body.lead), name))
        edits.push_back({body.begin, body.begin, " [[maybe_unused]] " + pointer(type, name)});
  }
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string result;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    result += text.substr(done, edit.begin - done) + edit.text;
    done = edit.end;
  }
  return result + text.substr(done);
}

}  // namespace tuner::compile
