// Pseudo-random numbers that are the same on every machine: the standard library's distributions are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tuner {

// splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  // In [0, n); n is not 0.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  // In [0, 1).
  double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  bool chance(double probability) { return unit() < probability; }

  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace tuner
