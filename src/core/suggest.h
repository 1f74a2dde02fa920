// "Did you mean": the known word nearest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner {

// Levenshtein distance with transpositions (optimal string alignment).
int edit_distance(std::string_view a, std::string_view b);

// The nearest of `known` within a third of the word's length (at least 1, at most 3), else empty.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// "did you mean 'block_size'?" when something is near, else "known: a, b, c" (the list cut after 12).
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace tuner
