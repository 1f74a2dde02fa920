// What a kernel is declared with, read from its source by eye: no macro is put in and nothing is compiled.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::compile {

struct DeclaredParameter {
  std::string type;  // as written, without its name and __restrict__: "const float *"
  std::string name;  // empty where it has none
};

struct Declaration {
  std::string scope;  // "filters::", of the named namespaces around it
  std::vector<DeclaredParameter> parameters;
  bool is_global = false;
  bool is_extern_c = false;
  std::vector<std::string> template_parameters;  // "typename T", "int N"
};

// The definition or declaration of `function` in `source`. Empty where there is none, or where it is no plain list of
// parameters.
std::optional<Declaration> declaration_of(std::string_view source, std::string_view function);

// The functions declared __global__, in order.
std::vector<std::string> global_functions(std::string_view source);

// The element of a pointer ("float" of "const float *"), or `type` itself without const.
std::string bare_type(const std::string& type);
bool is_pointer(const std::string& type);
// A pointer to what is only read.
bool is_pointer_to_const(const std::string& type);

}  // namespace tuner::compile
