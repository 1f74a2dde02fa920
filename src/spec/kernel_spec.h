// A kernel manifest, read and checked.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/execution.h"
#include "space/space.h"

namespace tuner::spec {

struct ArgSpec {
  std::string name;
  std::string type;                 // an element type or the name of a fact that holds one
  std::optional<space::Expr> size;  // buffers: elements
  Role role = Role::weight;
  std::optional<space::Expr> align;  // bytes
  Fill fill;
  std::optional<space::Expr> value;  // scalars
};

struct StepSpec {
  Step::Kind kind = Step::Kind::launch;
  std::string target;  // the entry, or the buffer of a memset
  int byte = 0;
  std::optional<space::Expr> when;
  std::vector<space::Expr> grid;   // 1 to 3
  std::vector<space::Expr> block;  // 1 to 3
  std::optional<space::Expr> shared;
};

struct KernelSpec {
  std::string name;
  std::string family;
  std::string dtype;
  std::string doc;
  std::string source_path;  // absolute
  std::string entry;
  std::optional<space::Expr> requires_;
  std::string target;  // "sm_90a", or empty
  std::vector<std::string> dims;
  std::vector<std::pair<std::string, space::Expr>> facts;  // defaults; may use dims
  space::Space space;
  std::vector<space::Partial> defaults;
  std::vector<ArgSpec> args;
  std::vector<StepSpec> steps;
  std::vector<std::pair<std::string, space::Expr>> lets;
  std::optional<space::Expr> traffic_read;   // bytes
  std::optional<space::Expr> traffic_write;  // bytes
  std::optional<space::Expr> flops;
  std::optional<space::Expr> bytes_in_flight;  // a thread
  std::string bound_by = "memory";
  std::string reference;             // "gemv", "none"
  std::optional<space::Expr> chain;  // longest chain of additions
  std::optional<space::Expr> deterministic;
  std::vector<std::string> baselines;
  std::string path;  // of the manifest, absolute
  std::string text;  // of the manifest

  // Every named choice of every parameter with its number within that parameter (its index in `values`).
  std::vector<std::pair<std::string, int>> choices(const std::string& param) const;
};

// Reads and checks one manifest: unknown and duplicate keys, wrong types, unknown names in expressions, two meanings
// for one name, macros that would hide an argument, aliases, files over 1 MB. Throws UserError with file:line:column
// and a "did you mean".
KernelSpec read_kernel(const std::string& path);
KernelSpec parse_kernel(std::string_view text, const std::string& path);

}  // namespace tuner::spec
