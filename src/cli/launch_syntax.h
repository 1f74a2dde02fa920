// What a source for the whole program tells of a kernel beside its declaration: whether NVRTC takes it, and how it is
// launched. Read by eye, as compile/declaration.h does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner::cli {

// Host code, or headers that NVRTC does not have.
bool needs_nvcc(std::string_view source);

// `#define NAME 32` of a source, or `constexpr int NAME = 32;` at file scope.
using NumberMacros = std::vector<std::pair<std::string, std::int64_t>>;

// Of the first `ENTRY<<<grid, block>>>(...)`, as expressions of the manifest over `dims`, the kernel's parameters of
// that name, and number macros. Either is empty where it cannot be read.
struct LaunchSyntax {
  std::vector<std::string> grid;
  std::vector<std::string> block;
  NumberMacros macros;  // that they use, and that may be varied
  NumberMacros sizes;   // that the grid covers: of the problem
};
// `parameters` are the names of the kernel's, in order.
LaunchSyntax launch_syntax(std::string_view source, const std::string& entry,
                           const std::vector<std::string>& parameters, const std::vector<std::string>& dims);

}  // namespace tuner::cli
