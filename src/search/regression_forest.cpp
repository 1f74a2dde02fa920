#include "search/regression_forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tuner::search {
namespace {

constexpr double share_of_features = 0.7;  // that a split looks at

}  // namespace

struct RegressionForest::Split {
  int feature = -1;
  int threshold = 0;
  double gain = 1e-12;  // of the sum of squares
};

RegressionForest::RegressionForest(const std::vector<std::vector<int>>& rows, const std::vector<double>& values,
                                   int trees, Random& random)
    : rows_(&rows), values_(&values) {
  Rows drawn(rows.size());
  for (int i = 0; i < trees; ++i) {
    for (std::size_t& row : drawn) row = random.below(rows.size());
    grow(trees_.emplace_back(), drawn.begin(), drawn.end(), random);
  }
  rows_ = nullptr;
  values_ = nullptr;
}

int RegressionForest::grow(std::vector<Node>& tree, Rows::iterator begin, Rows::iterator end, Random& random) {
  const auto at = static_cast<std::size_t>(tree.size());
  tree.emplace_back();
  double sum = 0;
  for (auto row = begin; row != end; ++row) sum += (*values_)[*row];
  tree[at].value = sum / static_cast<double>(end - begin);
  const Split split = best_split(begin, end, random);
  if (split.feature < 0) return static_cast<int>(at);
  const auto feature = static_cast<std::size_t>(split.feature);
  const auto middle =
      std::partition(begin, end, [&](std::size_t row) { return (*rows_)[row][feature] <= split.threshold; });
  const int below = grow(tree, begin, middle, random);
  const int above = grow(tree, middle, end, random);
  tree[at].feature = split.feature;
  tree[at].threshold = split.threshold;
  tree[at].below = below;
  tree[at].above = above;
  return static_cast<int>(at);
}

RegressionForest::Split RegressionForest::best_split(Rows::iterator begin, Rows::iterator end, Random& random) const {
  Split best;
  if (end - begin < 2) return best;
  std::vector<std::size_t> features((*rows_)[*begin].size());
  std::iota(features.begin(), features.end(), std::size_t{0});
  random.shuffle(features);
  auto left = static_cast<std::size_t>(std::ceil(share_of_features * static_cast<double>(features.size())));
  for (const std::size_t feature : features) {
    const auto [low, high] = std::minmax_element(
        begin, end, [&](std::size_t a, std::size_t b) { return (*rows_)[a][feature] < (*rows_)[b][feature]; });
    if ((*rows_)[*low][feature] == (*rows_)[*high][feature]) continue;  // there is nothing to look at
    if (left == 0 && best.feature >= 0) break;
    left -= left > 0 ? 1 : 0;
    look_at(feature, begin, end, best);
  }
  return best;
}

void RegressionForest::look_at(std::size_t feature, Rows::iterator begin, Rows::iterator end, Split& best) const {
  int low = (*rows_)[*begin][feature], high = low;
  for (auto row = begin; row != end; ++row) {
    low = std::min(low, (*rows_)[*row][feature]);
    high = std::max(high, (*rows_)[*row][feature]);
  }
  struct Sum {
    double sum = 0, count = 0;
  };
  std::vector<Sum> by_value(static_cast<std::size_t>(high - low) + 1);
  Sum all;
  for (auto row = begin; row != end; ++row) {
    Sum& of = by_value[static_cast<std::size_t>((*rows_)[*row][feature] - low)];
    of.sum += (*values_)[*row];
    ++of.count;
    all.sum += (*values_)[*row];
    ++all.count;
  }
  Sum below;
  for (int threshold = low; threshold < high; ++threshold) {
    const Sum& of = by_value[static_cast<std::size_t>(threshold - low)];
    below.sum += of.sum;
    below.count += of.count;
    if (of.count == 0) continue;
    const double above_sum = all.sum - below.sum, above_count = all.count - below.count;
    const double gain =
        below.sum * below.sum / below.count + above_sum * above_sum / above_count - all.sum * all.sum / all.count;
    if (gain > best.gain) best = {static_cast<int>(feature), threshold, gain};
  }
}

RegressionForest::Estimate RegressionForest::at(const std::vector<int>& row) const {
  double sum = 0, squares = 0;
  for (const auto& tree : trees_) {
    std::size_t node = 0;
    while (tree[node].feature >= 0)
      node = static_cast<std::size_t>(row[static_cast<std::size_t>(tree[node].feature)] <= tree[node].threshold
                                          ? tree[node].below
                                          : tree[node].above);
    sum += tree[node].value;
    squares += tree[node].value * tree[node].value;
  }
  const double mean = sum / static_cast<double>(trees_.size());
  return {mean, std::sqrt(std::max(0.0, squares / static_cast<double>(trees_.size()) - mean * mean))};
}

}  // namespace tuner::search
