#include "measure/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tuner::measure {
namespace {

std::atomic<int> most_threads{0};

int usable_threads() {
  if (most_threads > 0) return most_threads;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace

void parallel(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t)>& body) {
  std::atomic<std::int64_t> next{0};
  const auto work = [&] {
    for (std::int64_t begin = next.fetch_add(grain); begin < count; begin = next.fetch_add(grain))
      for (std::int64_t i = begin; i < std::min(count, begin + grain); ++i) body(i);
  };
  const auto wanted = std::int64_t{usable_threads()};
  const auto threads = std::min<std::int64_t>(wanted, (count + grain - 1) / grain);
  std::vector<std::jthread> others;
  for (std::int64_t i = 1; i < threads; ++i) others.emplace_back(work);
  work();
}

void parallel_pieces(std::int64_t elements, const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& body) {
  parallel(pieces_of(elements), 1, [&](std::int64_t piece) {
    const std::int64_t begin = piece * piece_elements;
    body(piece, begin, std::min(elements, begin + piece_elements));
  });
}

void limit_threads(int threads) { most_threads = threads; }

}  // namespace tuner::measure
