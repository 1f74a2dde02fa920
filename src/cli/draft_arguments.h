// Arguments of a kernel that somebody has, as its first manifest gives them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compile/declaration.h"

namespace tuner::cli {

// A line of a manifest, and what its author must still say there.
struct DraftLine {
  std::string text, open;
};

// A scalar of a struct or a vector.
struct DraftField {
  std::string type;    // the manifest's
  std::string member;  // in the source: "n", "c.x"
  std::string name;    // as a dimension: "n", "c_x"
};

struct DraftArgument {
  std::string name;
  std::string type;  // C++'s
  // Of a struct by value; empty where its definition is not read.
  std::vector<DraftField> fields;
  bool is_struct = false;
  bool is_enum = false;
};

// `types` are those of template parameters.
std::vector<DraftArgument> draft_arguments(const std::vector<compile::DeclaredParameter>& parameters,
                                           const std::string& source, const std::map<std::string, std::string>& types);

// Integers by value, alone and in structs: what a shape may be made of. Each name once.
std::vector<std::string> integer_names(const std::vector<DraftArgument>& arguments);

// What an input of this type is to be filled with: integers need it. Empty for others.
std::string fill_of(const std::string& type);

// `size` is that of buffers.
DraftLine argument_line(const DraftArgument& argument, const std::vector<std::string>& dims, const std::string& size);

}  // namespace tuner::cli
