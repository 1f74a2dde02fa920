// `constexpr int BX = 32, BY = 8;` and `enum { BX = 32, BY = 8 };`, read by eye.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::compile {

struct IntegerConstant {
  std::string name;                // empty: one of another kind, between the others
  std::string value;               // as written, without white space around it; empty: an enumerator's next
  std::size_t begin = 0, end = 0;  // of name and value, without commas
};

struct ConstantDeclaration {
  std::vector<IntegerConstant> constants;  // in order
  std::size_t begin = 0, end = 0;          // with its semicolon
  bool local = false;                      // within braces that are no namespace's
  bool is_enum = false, named = false;     // `enum Name { ... }`
};

// `const` and `constexpr` of integer types, and enumerators of an enum without scope. Members of a struct are left out;
// so is a local `const` whose value may be none at compile time. `code` is plain_code with '#' for directives.
std::vector<ConstantDeclaration> integer_constants(std::string_view code);

}  // namespace tuner::compile
