#include "search/strategy.h"

#include <cassert>

#include "search/strategies.h"

namespace tuner::search {
namespace {

struct Entry {
  std::string name;
  std::unique_ptr<Strategy> (*make)(const Domain&, std::uint64_t);
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{{"exhaustive", make_exhaustive}, {"random", make_random},
                                      {"local", make_local},           {"annealing", make_annealing},
                                      {"genetic", make_genetic},       {"forest", make_forest}};
  return all;
}

}  // namespace

const std::vector<std::string>& strategy_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Entry& entry : entries()) all.push_back(entry.name);
    return all;
  }();
  return names;
}

std::unique_ptr<Strategy> make_strategy(const std::string& name, const Domain& domain, std::uint64_t seed) {
  for (const Entry& entry : entries())
    if (entry.name == name) return entry.make(domain, seed);
  assert(false);
  return nullptr;
}

}  // namespace tuner::search
