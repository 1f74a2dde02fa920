#include "measure/data_set.h"

#include "measure/generator.h"

namespace tuner::measure {

int exact_magnitude(std::int64_t terms) {
  constexpr std::int64_t limit = std::int64_t{1} << 24;
  for (int magnitude = 3; magnitude > 1; --magnitude)
    if (terms <= limit / (magnitude * magnitude)) return magnitude;
  return 1;
}

std::int64_t terms_of(const Workload& workload) { return workload.dims.size() < 2 ? 1 : workload.dims.back(); }

device::FillRequest fill_request(const Workload& workload, std::size_t index, DataSet set, std::uint64_t generation) {
  const Argument& argument = workload.arguments[index];
  device::FillRequest request;
  request.type = argument.type;
  request.count = argument.elements;
  request.seed = mix(0x74756e6572ull + 2 * index + (set == DataSet::exact ? 0 : 1) + (generation << 32));
  request.exact = set == DataSet::exact;
  request.magnitude = exact_magnitude(terms_of(workload));
  request.low = argument.fill.low;
  request.high = argument.fill.kind == Fill::Kind::constant ? argument.fill.low : argument.fill.high;
  return request;
}

}  // namespace tuner::measure
