// What the outputs must be, in double, on the values as the types hold them. Straight from the generator: no copy of
// the inputs is made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/execution.h"
#include "measure/data_set.h"

namespace tuner::measure {

struct Reference {
  Type type = Type::f32;          // of the output
  std::vector<double> value;      // one an output element
  std::vector<double> magnitude;  // the sum of |terms| of each
  bool empty() const { return value.empty(); }
};

// "gemv" and "none" (empty). Throws UserError naming the known ones for another word, and for arguments that are not
// the named computation's.
Reference compute_reference(const Workload& workload, DataSet set, std::uint64_t generation = 0);

// Of this process, where it may use fewer CPUs than its affinity says; 0: as many as that.
void limit_reference_threads(int threads);

// Throws UserError as compute_reference would.
void check_reference(const Workload& workload);

}  // namespace tuner::measure
