// What the outputs must be, in double, on the values as the types hold them. Straight from the generator: no copy of
// the inputs is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/execution.h"
#include "measure/data_set.h"

namespace tuner::measure {

// Of one result.
struct Reference {
  std::string name;
  Type type = Type::f32;
  std::vector<double> value;      // one an element
  std::vector<double> magnitude;  // the sum of |terms| of each; empty where the bound needs none
  double largest = 0;             // finite |value|; see measure_largest
  // What it gave for the inputs' absolute values where that was less than a result, as only subtractions make it: then
  // `magnitude` is that result, and no bound follows from it.
  std::optional<double> lesser = std::nullopt;
  bool empty() const { return value.empty(); }
};

// Of the built-in ones: one for gemv, empty for none. Throws UserError for arguments that are not the named
// computation's.
Reference compute_reference(const Workload& workload, DataSet set, std::uint64_t generation = 0);
// With these activations in place of the set's.
Reference compute_reference(const Workload& workload, DataSet set, std::uint64_t generation,
                            const std::vector<double>& activations);

// Sets the `magnitude` of `reference` to these, with `lesser` where one is none.
void take_magnitude(Reference& reference, std::vector<double> sums);

// Fills `largest`.
void measure_largest(Reference& reference);

// Throws UserError as compute_reference would.
void check_reference(const Workload& workload);

}  // namespace tuner::measure
