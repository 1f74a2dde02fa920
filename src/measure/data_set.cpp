#include "measure/data_set.h"

#include "device/generator.h"

namespace tuner::measure {

int exact_magnitude(std::int64_t terms) {
  for (int magnitude = 3; magnitude > 1; --magnitude)
    if (terms <= most_exact / (magnitude * magnitude)) return magnitude;
  return 1;
}

namespace {

// Results that files hold belong to what the manifest fills in, in both data sets.
bool keeps_its_fill(const Argument& argument, const Workload& workload) {
  if (workload.reference.kind == ReferencePlan::Kind::data) return true;
  return argument.fill.kind == Fill::Kind::iota || (argument.given_fill && !is_floating(argument.type));
}

}  // namespace

device::FillRequest fill_request(const Workload& workload, std::size_t index, DataSet set, std::uint64_t generation) {
  const Argument& argument = workload.arguments[index];
  device::FillRequest request;
  request.type = argument.type;
  request.count = argument.elements;
  request.seed = device::mix(0x74756e6572ull + 2 * index + (set == DataSet::exact ? 0 : 1) + (generation << 32));
  request.exact = set == DataSet::exact && !keeps_its_fill(argument, workload);
  request.magnitude = exact_magnitude(workload.terms);
  request.kind = argument.fill.kind == Fill::Kind::constant ? Fill::Kind::uniform : argument.fill.kind;
  request.low = argument.fill.low;
  request.high = argument.fill.kind == Fill::Kind::constant ? argument.fill.low : argument.fill.high;
  return request;
}

}  // namespace tuner::measure
