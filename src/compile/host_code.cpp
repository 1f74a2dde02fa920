#include "compile/host_code.h"

#include "compile/code_pieces.h"
#include "core/identifier.h"

namespace tuner::compile {
namespace {

constexpr auto nowhere = std::string_view::npos;

bool has_name_that_begins(std::string_view text, std::string_view start) {
  for (auto at = text.find(start); at != nowhere; at = text.find(start, at + 1))
    if (at == 0 || !in_identifier(text[at - 1])) return true;
  return false;
}

bool opens_a_scope(std::string_view lead) {
  return has_word(lead, "namespace") || (has_word(lead, "extern") && lead.find('(') == nowhere);
}

bool is_for_the_host(std::string_view lead, std::string_view body) {
  if (lead.find('(') == nowhere || has_word(lead, "__global__") || has_word(lead, "__device__")) return false;
  return has_word(lead.substr(0, lead.find('(')), "main") || body.find("<<<") != nowhere ||
         has_name_that_begins(body, "cuda");
}

}  // namespace

std::string without_host_code(std::string_view text) {
  const std::string plain = plain_code(text, '#');
  const std::string_view view = plain;
  std::string kept(text);
  std::size_t lead = 0;  // where the declaration at hand begins
  for (std::size_t at = 0; at < view.size(); ++at) {
    if (view[at] == ';' || view[at] == '}') lead = at + 1;
    if (view[at] != '{') continue;
    const std::string_view before = view.substr(lead, at - lead);
    if (opens_a_scope(before)) {
      lead = at + 1;
      continue;
    }
    std::size_t end = at + 1;
    for (int depth = 1; end < view.size() && depth > 0; ++end)
      depth += view[end] == '{' ? 1 : view[end] == '}' ? -1 : 0;
    if (is_for_the_host(before, view.substr(at, end - at)))
      for (std::size_t i = lead; i < end; ++i)
        if (view[i] != '#' && kept[i] != '\n') kept[i] = ' ';  // an #endif may end what began before
    at = end - 1;
    lead = end;
  }
  return kept;
}

}  // namespace tuner::compile
