// A small set of configurations in which every legal value, then every legal pair of values, occurs.
#include <algorithm>
#include <map>
#include <utility>

#include "core/random.h"
#include "space/space.h"
#include "space/walk.h"

namespace tuner::space {
namespace {

// Values of all parameters numbered through; a pair of them is a number too.
class Items {
 public:
  explicit Items(const Space& space) {
    for (const Param& param : space.params) {
      first_.push_back(count_);
      count_ += param.values.size();
    }
  }
  std::size_t count() const { return count_; }
  std::vector<std::size_t> of(const Choice& choice) const {
    std::vector<std::size_t> items;
    for (std::size_t i = 0; i < choice.size(); ++i)
      if (choice[i] != kInactive) items.push_back(first_[i] + static_cast<std::size_t>(choice[i]));
    return items;
  }
  std::size_t pair(std::size_t a, std::size_t b) const { return a * count_ + b; }

 private:
  std::vector<std::size_t> first_;
  std::size_t count_ = 0;
};

// Legal configurations to choose from: a sample where there are very many, with the first that shows each pair.
struct Pool {
  std::vector<Choice> choices;
  std::vector<bool> value_open;  // by item: legal and not covered yet
  std::vector<bool> pair_open;
};

constexpr std::size_t kSample = 100'000;  // beyond it the best of a sample is as good as the best

Pool collect(const Space& space, const Scope& base, const Items& items, Random& random) {
  Pool pool;
  pool.value_open.assign(items.count(), false);
  pool.pair_open.assign(items.count() * items.count(), false);
  std::vector<Choice> witnesses;
  std::size_t seen = 0;
  Walk(space, base, {}).run([&](const Choice& choice) {
    const std::vector<std::size_t> present = items.of(choice);
    bool fresh = false;
    for (std::size_t i = 0; i < present.size(); ++i) {
      fresh |= !pool.value_open[present[i]];
      pool.value_open[present[i]] = true;
      for (std::size_t j = i + 1; j < present.size(); ++j) {
        fresh |= !pool.pair_open[items.pair(present[i], present[j])];
        pool.pair_open[items.pair(present[i], present[j])] = true;
      }
    }
    ++seen;
    if (fresh || seen == 1) {
      witnesses.push_back(choice);
    } else if (pool.choices.size() < kSample) {
      pool.choices.push_back(choice);
    } else if (const std::size_t at = random.below(seen); at < kSample) {
      pool.choices[at] = choice;
    }
    return true;
  });
  pool.choices.insert(pool.choices.end(), witnesses.begin(), witnesses.end());
  return pool;
}

class Cover {
 public:
  Cover(const Items& items, Pool pool, Random& random) : items_(items), pool_(std::move(pool)), random_(random) {
    for (const Choice& choice : pool_.choices) {
      sets_.push_back(items_.of(choice));
      for (const std::size_t item : sets_.back()) ++frequency_[item];
    }
  }

  std::vector<Choice> run(std::size_t limit) {
    std::vector<Choice> chosen;
    while (chosen.size() < limit) {
      std::vector<std::size_t> wanted = rarest_value();
      if (wanted.empty()) wanted = next_pair();
      if (wanted.empty() && !(chosen.empty() && !sets_.empty())) break;
      const std::size_t best = best_with(wanted);
      close(sets_[best]);
      chosen.push_back(pool_.choices[best]);
    }
    return chosen;
  }

 private:
  static constexpr std::size_t kLooks = 2'000;  // candidates compared a step

  // The open value that fewest configurations have: it is the hardest to cover by luck.
  std::vector<std::size_t> rarest_value() const {
    std::size_t best = items_.count();
    for (std::size_t i = 0; i < items_.count(); ++i)
      if (pool_.value_open[i] && (best == items_.count() || frequency_.at(i) < frequency_.at(best))) best = i;
    return best == items_.count() ? std::vector<std::size_t>{} : std::vector<std::size_t>{best};
  }

  std::vector<std::size_t> next_pair() {
    const std::size_t size = pool_.pair_open.size();
    if (size == 0) return {};
    const std::size_t start = random_.below(size);
    for (std::size_t n = 0; n < size; ++n) {
      const std::size_t pair = (start + n) % size;
      if (pool_.pair_open[pair]) return {pair / items_.count(), pair % items_.count()};
    }
    return {};
  }

  // Of the configurations that have all of `wanted`, the one that covers most that is open.
  std::size_t best_with(const std::vector<std::size_t>& wanted) {
    const std::size_t start = random_.below(sets_.size());
    std::size_t best = start;
    std::int64_t best_gain = -1;
    std::size_t looks = 0;
    for (std::size_t n = 0; n < sets_.size() && looks < kLooks; ++n) {
      const std::size_t at = (start + n) % sets_.size();
      const auto has = [&](std::size_t item) { return std::binary_search(sets_[at].begin(), sets_[at].end(), item); };
      if (!std::all_of(wanted.begin(), wanted.end(), has)) continue;
      ++looks;
      if (const std::int64_t g = gain(sets_[at]); g > best_gain) {
        best_gain = g;
        best = at;
      }
    }
    return best;
  }

  std::int64_t gain(const std::vector<std::size_t>& set) const {
    constexpr std::int64_t value_weight = 1'000'000;  // one more value outweighs any number of pairs
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (pool_.value_open[set[i]]) sum += value_weight;
      for (std::size_t j = i + 1; j < set.size(); ++j)
        if (pool_.pair_open[items_.pair(set[i], set[j])]) ++sum;
    }
    return sum;
  }

  void close(const std::vector<std::size_t>& set) {
    for (std::size_t i = 0; i < set.size(); ++i) {
      pool_.value_open[set[i]] = false;
      for (std::size_t j = i + 1; j < set.size(); ++j) pool_.pair_open[items_.pair(set[i], set[j])] = false;
    }
  }

  const Items& items_;
  Pool pool_;
  Random& random_;
  std::vector<std::vector<std::size_t>> sets_;  // the items of each choice, ascending
  std::map<std::size_t, std::int64_t> frequency_;
};

}  // namespace

std::vector<Config> Space::covering(const Scope& base, std::size_t limit, std::uint64_t seed) const {
  Random random(seed);
  const Items items(*this);
  Cover cover(items, collect(*this, base, items, random), random);
  std::vector<Config> configs;
  for (const Choice& choice : cover.run(limit)) configs.push_back(config_of(*this, choice));
  return configs;
}

}  // namespace tuner::space
