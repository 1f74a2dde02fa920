// A workload on a device, ready for any number of candidates: both data sets, their references, and for timing the
// rotating copies. Every buffer is guarded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/execution.h"
#include "device/device.h"
#include "measure/data_set.h"
#include "measure/guarded.h"
#include "measure/judge.h"
#include "measure/reference.h"
#include "measure/user_reference.h"

namespace tuner::measure {

// How many copies of the weights rotate: what launches read of them is in all at least three times the last-level cache
// and 256 MB; they are at most a quarter of free memory and 512 copies. `ring` multiplies what is wanted. `read_bytes`:
// of the cold ones, by one launch; 0: all of them. Where nothing is cold, results are what counts.
int rotation_copies(std::int64_t cold_bytes, std::int64_t output_bytes, std::int64_t l2_bytes, std::int64_t free_bytes,
                    int ring = 1, double read_bytes = 0);

// One buffer argument of an execution, where it lies.
struct BoundBuffer {
  std::string name;
  Type type = Type::f32;
  Role role = Role::weight;
  const Guarded* memory = nullptr;
  std::uint64_t checksum = 0;  // inputs: as filled
  device::Address before = 0;  // in place, accumulators: what they hold before a run
};

struct Bound {
  device::Bindings addresses;
  std::vector<BoundBuffer> buffers;
};

// Results of at least as many bytes are looked at on the device first.
inline constexpr std::int64_t large_bytes = std::int64_t{1} << 20;

using Bytes = std::shared_ptr<const std::vector<std::byte>>;

// A result that must be so to the bit. The checksum is Device::checksum's.
struct ExactResult {
  Bytes bytes;
  std::uint64_t checksum = 0;
};

struct PrepareOptions {
  bool timed = false;
  int ring = 1;
  std::uint64_t generation = 0;  // of the data: other values of the same kind
  ReferenceTools reference = {};
};

class Prepared {
 public:
  // Allocates, fills and computes the references. Throws MachineError when memory is out, UserError for a reference
  // that is unknown or does not fit.
  Prepared(device::Device& device, const Workload& workload, PrepareOptions options);

  const Workload& workload() const { return workload_; }
  // Whether results are judged at all.
  bool has_reference() const { return !references_[0].empty(); }
  // What each result must be, for kernels with this longest chain of additions; in the order of the arguments.
  std::vector<Expectation> expectations(DataSet set, std::int64_t chain) const;
  // Result `index` of the set, compared where it lies, at `address`. Nothing where the device cannot, where the result
  // is small, or where an element is not within tolerance: then its bytes are to be judged.
  std::optional<Judgement> judged_in_place(DataSet set, std::size_t index, std::int64_t chain, device::Address address);
  // The results as they must lie in memory, in the order of the arguments; empty where they need not be exact.
  const std::vector<ExactResult>& exact_results(DataSet set) const { return exact_[set == DataSet::exact ? 0 : 1]; }

  // In the dependent regime. Where the values of an activation lie a second time.
  device::Address kept(std::size_t argument, DataSet set);
  // How the results of one launch become activations of the next: argument by argument, with `bytes` and on.
  struct Feed {
    std::size_t input = 0, result = 0;  // arguments
  };
  // Those of the exact set; none where results are not exact there or the activation is not made of small integers.
  const std::vector<Feed>& feeds() const { return feeds_; }
  // What each result must be once the exact set's results have been fed back.
  std::vector<Expectation> fed_expectations() const;

  // 1 on a GPU; 2 where buffers end at inaccessible memory in one placement and start at it in the other.
  int placements() const { return static_cast<int>(places_.size()); }
  // Where the arguments of `execution` lie, by name; its scratch is allocated at need and kept. Throws UserError when
  // an argument is not the workload's.
  Bound bind(const Execution& execution, DataSet set, int placement);
  // Fills inputs and guards anew after a candidate has damaged them.
  void restore();

  // Rotation; 0 copies when this was not prepared for timing. Copy 0 is the random set of placement 0.
  int copies() const { return copies_; }
  // Of all copies together.
  double rotating_bytes() const;
  device::Bindings bind_copy(const Execution& execution, int copy);
  device::Address copy_of(const std::string& argument, int copy) const;
  // What must be restored in the first `copies` copies before they are launched on; empty for most kernels. Then no
  // copy may be launched on twice in one replay.
  std::vector<device::Copy> restores(int copies) const;

 private:
  struct Buffer {
    std::unique_ptr<Guarded> memory;
    std::uint64_t checksum = 0;
  };
  // Buffers by argument: what is held before a run, for either data set; what is written, shared by both.
  struct Place {
    device::Placement placement = device::Placement::anywhere;
    std::vector<Buffer> inputs[2];
    std::vector<Buffer> outputs;
    std::map<std::pair<std::string, std::int64_t>, std::unique_ptr<Guarded>> scratch;
  };
  // In double, where results are compared on the device.
  struct DeviceReference {
    std::optional<Block> value, magnitude;
  };
  struct Ring {
    Block block;
    std::int64_t stride = 0;
  };

  // As far as the alignment that is needed lets it.
  std::int64_t shift_of(const Argument& argument) const {
    const std::int64_t shift = workload_.misalign_elements * size_of(argument.type);
    return shift - shift % std::max<std::int64_t>(1, argument.align_bytes);
  }
  void fill(Place& place);
  void fill(std::size_t argument, DataSet set, device::Address to);
  std::vector<Reference> references(DataSet set, const ReferenceTools& tools);
  void put_references(DataSet set);
  void feed_back(const ReferenceTools& tools);
  // Results must equal their reference to the bit.
  bool must_be_exact(DataSet set) const;
  void make_copies(int ring);
  std::size_t index_of(const Argument& argument) const;
  const Guarded& scratch(Place& place, const Argument& argument);

  device::Device* device_;
  Workload workload_;
  std::uint64_t generation_;
  std::vector<Reference> references_[2];
  std::vector<ExactResult> exact_[2];
  std::vector<DeviceReference> device_references_[2];
  std::vector<Feed> feeds_;
  std::vector<Reference> fed_references_;
  std::map<std::pair<std::size_t, DataSet>, Block> kept_;
  std::vector<Place> places_;
  std::vector<Ring> rings_;  // by argument
  int copies_ = 0;
};

}  // namespace tuner::measure
