// What a source for the whole program tells of a kernel beside its declaration: whether NVRTC takes it, and how it is
// launched. Read by eye, as compile/declaration.h does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/source_numbers.h"

namespace tuner::cli {

// Host code, or headers that NVRTC does not have.
bool needs_nvcc(std::string_view source);

// Of a struct: its name in the source, and as a dimension.
struct LaunchField {
  std::string member, name;
};
// A parameter of the kernel; `fields` are those of a struct.
struct LaunchParameter {
  std::string name;
  std::vector<LaunchField> fields;
};

// Of the first `ENTRY<...><<<grid, block, shared>>>(...)`, as expressions of the manifest over `dims`, the kernel's
// parameters or fields of that name, and numbers that the source names. Each is empty where it cannot be read.
struct LaunchSyntax {
  bool found = false;  // there is a launch
  std::vector<std::string> grid;
  std::vector<std::string> block;
  std::string shared;
  std::string shared_text;             // as the source has it; empty or 0: none
  std::vector<std::string> templates;  // as the source has them
  NamedNumbers macros;                 // that they use, and that may be varied
  NamedNumbers sizes;                  // that the grid covers: of the problem
  NamedNumbers others;                 // that the GPU's code uses beside
};
LaunchSyntax launch_syntax(std::string_view source, const std::string& entry,
                           const std::vector<LaunchParameter>& parameters, const std::vector<std::string>& dims);

}  // namespace tuner::cli
