// `ENTRY<float, 2><<<grid, block, shared>>>(a, b)` of a source, cut into its parts. Read by eye, as
// compile/declaration.h does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::cli {

struct LaunchText {
  std::string bare;       // the source without comments and white space
  std::size_t close = 0;  // where in it ">>>" stands; 0: there is no launch
  std::vector<std::string> templates, configuration, arguments;
};

// Of the first launch of `entry`.
LaunchText launch_text(std::string_view source, const std::string& entry);

// The items of a list whose first begins at `at`, up to the closing bracket or the end.
std::vector<std::string> items(std::string_view text, std::size_t at);
// Behind what `text` has up to a comma or closing bracket of its own level.
std::size_t end_of_item(std::string_view text, std::size_t at);
// Where the bracket closes that was open at `at`.
std::size_t end_of_list(std::string_view text, std::size_t at);

}  // namespace tuner::cli
