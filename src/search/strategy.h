// A strategy says what to try next and is told what became of it. It touches no device and knows no kernel.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "search/domain.h"

namespace tuner::search {

// What became of a point that was tried.
struct Outcome {
  Point point;
  // Its time over that of the anchor in the same rounds: times of other rounds are never compared. Not a number: it did
  // not compile, was wrong, had no time.
  double ratio = std::numeric_limits<double>::quiet_NaN();

  bool good() const { return std::isfinite(ratio); }
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // At most `most` points to try next: legal, each once, none that was tried. Empty: nothing is left to try.
  virtual std::vector<Point> ask(std::size_t most) = 0;
  // Of all points of the last ask(), in its order; before the first ask() of points that were tried anyhow.
  virtual void tell(const std::vector<Outcome>& outcomes) = 0;
};

// The ones that need nothing but their name; `forest` is what is taken where a space is too large to enumerate.
inline constexpr const char* default_strategy = "forest";
const std::vector<std::string>& strategy_names();
// The name is one of these. `domain` must outlive it.
std::unique_ptr<Strategy> make_strategy(const std::string& name, const Domain& domain, std::uint64_t seed);

}  // namespace tuner::search
