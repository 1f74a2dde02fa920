// What somebody's kernel takes: its declaration, put right by what the compiler says where it compiles as it is.
#pragma once

#include <string>

#include "cli/commands.h"
#include "compile/cache.h"
#include "compile/declaration.h"

namespace tuner::cli {

struct Signature {
  compile::Declaration declaration;
  std::string source_text;
  std::string note;  // how far the compiler confirms it
};

// Throws UserError where `path` cannot be read or has no `__global__` of this name.
Signature signature_of(const Context& context, const std::string& path, const std::string& entry,
                       compile::Cache& cache);

// The declaration of a demangled function: "add(float const*, float*, int)". Names are left empty.
std::vector<compile::DeclaredParameter> demangled_parameters(const std::string& mangled);

}  // namespace tuner::cli
