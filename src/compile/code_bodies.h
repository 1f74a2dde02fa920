// The bodies of functions and classes in a text, found by its braces.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tuner::compile {

struct CodeBody {
  std::size_t lead = 0;             // where its declaration begins
  std::size_t open = 0, close = 0;  // its braces; `close` is the end where it has none
};

// Behind the brace that closes the one at `open`, or the end.
std::size_t behind_block(std::string_view code, std::size_t open);

// Those that no other holds, in order; what stands in namespaces and extern "C" is looked at, and with `into_classes`
// what stands in classes. `code` as plain_code() gives it.
std::vector<CodeBody> bodies_of(std::string_view code, bool into_classes);

}  // namespace tuner::compile
