// The numbers that a source names: `#define NAME 32`, `constexpr int NAME = 32;`. Read by eye.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner::cli {

using NamedNumbers = std::vector<std::pair<std::string, std::int64_t>>;

struct SourceNumbers {
  NamedNumbers numbers;
  std::vector<std::pair<std::string, std::string>> made;  // of other names: "BX*BY" without white space
};

// Of macros, of constants and enumerators at file scope.
SourceNumbers source_numbers(std::string_view source);

// Of "256", "256u", "(1<<20)", "4*16", without white space.
std::optional<std::int64_t> number_of(std::string text);

// Whether the kernel `entry`, what it calls or what stands outside of functions uses the name, beside what defines it.
bool kernel_uses(std::string_view source, const std::string& entry, const std::string& name);

}  // namespace tuner::cli
