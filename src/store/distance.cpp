#include "store/distance.h"

#include "store/lookup.h"

namespace tuner::store {

std::optional<std::int64_t> shape_distance(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  if (a.size() != b.size()) return std::nullopt;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!within_factor_8(a[i], b[i])) return std::nullopt;
    sum += squared_log2_difference(a[i], b[i]);
  }
  return sum;
}

std::int64_t gpu_distance(const GpuFacts& a, const GpuFacts& b) {
  std::int64_t sum = 0;
  if (a.sm_count > 0 && b.sm_count > 0) sum += squared_log2_difference(a.sm_count, b.sm_count);
  if (bandwidth_of(a) > 0 && bandwidth_of(b) > 0) sum += squared_log2_difference(bandwidth_of(a), bandwidth_of(b));
  return sum;
}

}  // namespace tuner::store
