// References that a manifest brings: a host function, a kernel in double, files.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/execution.h"
#include "device/device.h"
#include "measure/data_set.h"
#include "measure/reference.h"

namespace tuner::measure {

// An argument as a reference takes it: floating values in double; scratch is left out.
struct WideArgument {
  std::string name;
  Type type = Type::f64;  // f64 for every floating type
  bool is_buffer = true;
  bool is_result = false;
  std::vector<std::byte> bytes = {};  // of the buffer, or of the scalar (8) or struct
  bool is_struct = false;             // `type` then has no meaning
};

// Calls the function `workload.reference.function` of its shared object; results are written into the buffers. Throws
// UserError when it crashes, does not end, or takes other arguments.
using HostFunction = std::function<void(const Workload&, std::vector<WideArgument>&)>;

struct ReferenceTools {
  HostFunction host;             // of a `host` reference
  device::ModuleId module = -1;  // of a `kernel` reference
};

// `inputs`: where the values of this data set lie on the device, by argument; 0 for what is not read. `sums`: the
// magnitudes too, by a second call on absolute values.
std::vector<Reference> user_reference(device::Device& device, const Workload& workload,
                                      const std::vector<device::Address>& inputs, bool sums,
                                      const ReferenceTools& tools);

// Throws UserError for an element that is still all ones, a NaN that no computation gives. `result` is its name.
void check_written(std::span<const double> values, const std::string& result, const Workload& workload);

// The results that files hold; the same for both data sets.
std::vector<Reference> reference_data(const Workload& workload);

}  // namespace tuner::measure
