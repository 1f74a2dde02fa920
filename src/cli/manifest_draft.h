// The first manifest of a kernel that somebody has: what its declaration tells, and marks where it tells nothing.
#pragma once

#include <string>
#include <vector>

#include "compile/declaration.h"

namespace tuner::cli {

struct Draft {
  std::string text;   // with an open_mark where it tells nothing
  std::string shape;  // the only one that the source's macros allow; empty: any
};

struct DraftOf {
  std::string name;
  std::string source;  // as the manifest names it
  std::string source_text;
  std::string entry;
  compile::Declaration declaration;
};

// Pointers to const are weights, others outputs; integers by value are dimensions, and so are macros and constants that
// the grid covers: each is bound to its value in the source.
Draft draft_manifest(const DraftOf& of);

}  // namespace tuner::cli
