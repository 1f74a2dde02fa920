// A random forest for regression (Breiman 2001) over small whole numbers.
#pragma once

#include <cstddef>
#include <vector>

#include "core/random.h"

namespace tuner::search {

class RegressionForest {
 public:
  struct Estimate {
    double mean = 0;
    double deviation = 0;  // between trees
  };

  // Rows are equally long and as many as values, at least one. `trees` of them, each of rows drawn with replacement.
  RegressionForest(const std::vector<std::vector<int>>& rows, const std::vector<double>& values, int trees,
                   Random& random);
  Estimate at(const std::vector<int>& row) const;

 private:
  struct Node {
    int feature = -1;  // -1: a leaf
    int threshold = 0;
    int below = 0, above = 0;  // rows up to the threshold, and the others
    double value = 0;
  };
  struct Split;
  using Rows = std::vector<std::size_t>;

  int grow(std::vector<Node>& tree, Rows::iterator begin, Rows::iterator end, Random& random);
  Split best_split(Rows::iterator begin, Rows::iterator end, Random& random) const;
  void look_at(std::size_t feature, Rows::iterator begin, Rows::iterator end, Split& best) const;

  const std::vector<std::vector<int>>* rows_ = nullptr;  // while it grows
  const std::vector<double>* values_ = nullptr;
  std::vector<std::vector<Node>> trees_;
};

}  // namespace tuner::search
