#include "compile/dynamic_shared.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <regex>
#include <string_view>
#include <vector>

#include "compile/code_bodies.h"
#include "compile/code_pieces.h"
#include "core/identifier.h"

namespace tuner::compile {
namespace {

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
  const std::vector<CodeBody> bodies = bodies_of(view, true);
  std::vector<Edit> edits;
  for (std::sregex_iterator match(text.begin(), text.end(), declaration), none; match != none; ++match) {
    const std::string whole = match->str(), type = (*match)[1], name = (*match)[2];
    const auto begin = static_cast<std::size_t>(match->position());
    const std::size_t end = begin + whole.size();
    const auto holds = [&](const CodeBody& body) { return body.open < begin && begin < body.close; };
    if (std::any_of(bodies.begin(), bodies.end(), holds)) {
      edits.push_back({begin, end, pointer(type, name)});
      continue;
    }
    const auto lines = static_cast<std::size_t>(std::count(whole.begin(), whole.end(), '\n'));
    edits.push_back({begin, end, std::string(lines, '\n')});
    for (const CodeBody& body : bodies)
      if (body.open >= end && has_word(view.substr(body.open, body.close - body.open), name) &&
          !has_word(view.substr(body.lead, body.open - body.lead), name))
        edits.push_back({body.open + 1, body.open + 1, " [[maybe_unused]] " + pointer(type, name)});
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
