#include "export/cpp_names.h"

#include <algorithm>
#include <set>

#include "core/identifier.h"
#include "export/header_text.h"
#include "space/expr.h"

namespace tuner::exporting {
namespace {

using Names = std::set<std::string, std::less<>>;

// Words of C++, then macros: of compilers, of common headers, of the header itself.
constexpr std::string_view cpp_text = R"(
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype
    default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline
    int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
    this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void volatile
    wchar_t while xor xor_eq

    linux unix i386 near far small assert errno stdin stdout stderr major minor makedev I NULL EOF TRUE FALSE IN
    OUT DOMAIN OVERFLOW UNDERFLOW emit signals slots TUNER_EXPORT_HD
)";

// What is generated for each kernel (export/kernel_code.h, export/header.cpp).
constexpr std::string_view generated_text = R"(
    TUNER_EXPORT_HD tuner_export tuner_expr detail max_dims max_params max_steps model_count model known_gpu exact
    part exact_at part_at all gpu problem regime configs picks rows pins forbids tables kernel dims facts Problem
    Params q p g i v inactive on count holds level out value number text word name param_name fact_name dim fact
    get usual shape active value_count is_word passes asks allows which runs_on steps dim_count fact_count
    param_count default_count fact_kind possible is_type in_regime asked dependent dependent_ overlaps
)";

// What stands in `text` beside its comments.
void collect(std::string_view text, Names& into) {
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (!in_identifier(text[i])) {
      ++i;
    } else {
      const std::size_t start = i;
      while (i < text.size() && in_identifier(text[i])) ++i;
      into.emplace(text.substr(start, i - start));
    }
  }
}

const Names& words_of_cpp() {
  static const Names names = [] {
    Names all;
    collect(cpp_text, all);
    return all;
  }();
  return names;
}

const Names& words_of_header() {
  static const Names names = [] {
    Names all;
    for (const std::string_view part :
         {generated_text, header_top, header_sized, header_types, header_ladder, header_bottom})
      collect(part, all);
    collect(space::cpp_prelude(""), all);
    return all;
  }();
  return names;
}

bool begins(const std::string& text, std::string_view with) { return text.compare(0, with.size(), with) == 0; }

}  // namespace

// What gets a '_' ends in one, and so does all that ends in one: no two names become the same.
std::string field_name(std::string_view text) {
  const std::string name(text);
  const bool taken = words_of_cpp().count(name) != 0 || name == "Problem" || name == "Params";
  return taken || name.back() == '_' ? name + "_" : name;
}

std::string struct_name(std::string_view text) {
  const std::string name(text);
  const bool taken = words_of_cpp().count(name) != 0 || words_of_header().count(name) != 0 || begins(name, "word") ||
                     begins(name, "let_");
  return taken || name.back() == '_' ? name + "_" : name;
}

}  // namespace tuner::exporting
