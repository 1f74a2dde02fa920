#include "compile/host_code.h"

#include <algorithm>

#include "compile/code_bodies.h"
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
  for (const CodeBody& body : bodies_of(view, false)) {
    const std::size_t end = std::min(body.close + 1, view.size());
    if (is_for_the_host(view.substr(body.lead, body.open - body.lead), view.substr(body.open, end - body.open)))
      for (std::size_t i = body.lead; i < end; ++i)
        if (view[i] != '#' && kept[i] != '\n') kept[i] = ' ';  // an #endif may end what began before
  }
  return kept;
}

}  // namespace tuner::compile
