#include "cli/draft_symbols.h"

#include <fmt/format.h>

#include <regex>

#include "cli/cpp_types.h"
#include "cli/source_numbers.h"
#include "compile/code_pieces.h"
#include "core/error.h"
#include "space/expr.h"
#include "space/scope.h"

namespace tuner::cli {
namespace {

// Of "[3][2 * N + 1]"; 0 where it cannot be told.
std::int64_t elements_of(const std::string& extents, const space::Scope& numbers) {
  std::int64_t all = 1;
  for (std::size_t at = extents.find('['); at != std::string::npos; at = extents.find('[', at + 1)) {
    try {
      const std::string text = extents.substr(at + 1, extents.find(']', at) - at - 1);
      const std::int64_t one = space::Expr::parse(text).integer(numbers);
      if (one < 1 || one > (1 << 16)) return 0;
      all *= one;
    } catch (const UserError&) {
      return 0;
    }
  }
  return all;
}

}  // namespace

std::vector<DraftLine> symbol_lines(std::string_view source) {
  static const std::regex declaration(
      R"(__constant__\s+(?:const\s+)?([A-Za-z_][\w:]*(?:\s+(?:int|long|char|short))*)\s+(\w+)\s*((?:\[[^\[\];=]*\]\s*)*);)");
  const std::string plain = compile::plain_code(source);
  space::Scope numbers;
  for (const auto& [name, value] : source_numbers(source).numbers) numbers.set(name, value);
  std::vector<DraftLine> lines;
  for (std::sregex_iterator at(plain.begin(), plain.end(), declaration), end; at != end; ++at) {
    const std::string cpp = (*at)[1], name = (*at)[2];
    const std::string type = manifest_type(cpp);
    const std::int64_t elements = elements_of((*at)[3], numbers);
    const std::string fill = fill_of(type);
    lines.push_back({fmt::format("  - {{name: {0}_values, type: {1}, size: \"{2}\", role: activation, symbol: {0}{3}}}",
                                 name, type.empty() ? "f32" : type, elements == 0 ? 1 : elements,
                                 fill.empty() ? "" : ", fill: \"" + fill + "\""),
                     std::string(type.empty() ? "its type (" + cpp + " in the source), " : "") +
                         (elements == 0 ? "its size, " : "") + "what the program copies into it"});
  }
  return lines;
}

}  // namespace tuner::cli
