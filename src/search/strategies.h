// The strategies, each in a file of its own name. Private to search/.
#pragma once

#include "search/strategy.h"

namespace tuner::search {

std::unique_ptr<Strategy> make_exhaustive(const Domain& domain, std::uint64_t seed);
std::unique_ptr<Strategy> make_random(const Domain& domain, std::uint64_t seed);
std::unique_ptr<Strategy> make_local(const Domain& domain, std::uint64_t seed);
std::unique_ptr<Strategy> make_annealing(const Domain& domain, std::uint64_t seed);
std::unique_ptr<Strategy> make_genetic(const Domain& domain, std::uint64_t seed);
std::unique_ptr<Strategy> make_forest(const Domain& domain, std::uint64_t seed);

}  // namespace tuner::search
