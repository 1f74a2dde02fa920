// A device that runs executions: a GPU through the Driver API, or the host, where a fiber stands for a thread.
// Used only inside a worker process: a fault may end the process.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/artifact.h"
#include "core/error.h"
#include "core/execution.h"
#include "core/gpu.h"
#include "core/gpu_users.h"
#include "core/trial.h"

namespace tuner::device {

using Address = std::uint64_t;  // a device pointer
using ModuleId = int;
using GraphId = int;
using Clock = std::chrono::steady_clock;

// How values are made: a pure function of (seed, index), the same on every device. device/generator.h holds the host's
// half, kernel_templates/support/support.cu the GPU's.
struct FillRequest {
  Type type = Type::f32;
  std::int64_t count = 0;
  std::uint64_t seed = 0;
  bool exact = false;  // integers in -magnitude..magnitude without 0 (1..magnitude where unsigned; 0 or 1 as boolean)
  int magnitude = 3;
  double low = -1;
  double high = 1;
  Fill::Kind kind = Fill::Kind::uniform;  // of what is not exact; never file
};

// Where each argument of an execution lies; scalars have 0. As many as arguments.
using Bindings = std::vector<Address>;

// How one run is made on the host device; a GPU ignores it.
struct RunOptions {
  std::uint64_t order_seed = 0;  // 0: in order; else threads resume in a shuffled one, and odd: the last block first
};

// Where a buffer may lie against inaccessible memory; a GPU treats all alike.
enum class Placement { anywhere, ends_at_fault, starts_at_fault };

struct RunResult {
  Reason reason = Reason::none;  // launch_error, timeout, fault, out_of_bounds, divergent_barrier
  std::string detail;
  bool device_lost = false;  // the worker must end: the context is gone or a thread hangs
  double us = 0;             // wall time of the run, rough
};

// One replayable unit: an execution with its bindings.
struct Timed {
  ModuleId module = -1;
  const Execution* execution = nullptr;
  Bindings bindings;
};

// `bytes` from one place on the device to another.
struct Copy {
  Address to = 0, from = 0;
  std::int64_t bytes = 0;
};

// What a launch leaves to its successor in the dependent regime: `bytes` copied from `from`, or set to `byte` where
// that is 0; else, where `fed_elements` is not 0, small integers (device/generator.h, small_of) of as many values at
// `from`, over and over. Of floating types alone.
struct Left {
  Address to = 0, from = 0;
  std::int64_t bytes = 0;
  int byte = 0;
  std::int64_t fed_elements = 0;
  Type type = Type::f32, from_type = Type::f32;
  int magnitude = 3;
};

class Device;
// Where nothing overlaps: at once.
void leave(Device& device, const Left& left);

// One execution of a chain, and what is left to it.
struct Link {
  std::vector<Left> before;
  Timed timed;
};

// How far a result may be from its value: gamma * magnitude + half a step of its type at |value| + that, where `steps`;
// else relative * |value| + absolute, an infinite value counting 0.
struct Tolerance {
  bool steps = false;
  double gamma = 0;
  double relative = 0;
  double absolute = 0;
};

// A result beside what it must be, all on the device: `value` and `magnitude` (0 where `steps` is not set) in double.
struct Comparison {
  Type type = Type::f32;
  std::int64_t count = 0;
  Address result = 0, value = 0, magnitude = 0;
  Tolerance tolerance;
};

struct Compared {
  std::int64_t outside = 0;  // elements that are not within tolerance; what is not finite never is
  double max_error = 0;      // of the others
  double max_used = 0;       // error over what is allowed, of the others
};

// Whether a device that does not emulate compares results of this type.
constexpr bool can_compare(Type type) { return type != Type::i4 && type != Type::u4; }

// A kernel killed the context, or did not end, while something other than run() waited for the device: timeout or
// fault. Nothing more runs on this device; the worker must end.
class DeviceFault : public MachineError {
 public:
  DeviceFault(Reason reason, std::string detail)
      : MachineError(std::move(detail), {}, "the GPU context is lost; a new worker is needed"), reason_(reason) {}
  Reason reason() const noexcept { return reason_; }

 private:
  Reason reason_;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const GpuFacts& facts() const = 0;
  virtual bool emulated() const = 0;  // no times
  virtual std::int64_t free_bytes() = 0;

  // 256-byte aligned. Throws MachineError when memory is out.
  virtual Address allocate(std::int64_t bytes, Placement placement = Placement::anywhere) = 0;
  virtual void release(Address address) = 0;

  // Ordered after everything before them; download and checksum wait for it.
  virtual void set(Address address, int byte, std::int64_t bytes) = 0;
  virtual void upload(Address address, std::span<const std::byte> bytes) = 0;
  virtual void download(Address address, std::span<std::byte> bytes) = 0;
  virtual void copy(Address to, Address from, std::int64_t bytes) = 0;
  virtual void fill(Address address, const FillRequest& request) = 0;
  // Order-independent over 8-byte words and their positions; the tail is padded with zeros.
  virtual std::uint64_t checksum(Address address, std::int64_t bytes) = 0;
  // The offset of the first byte that is not `byte`, -1 when all are.
  virtual std::int64_t first_not(Address address, int byte, std::int64_t bytes) = 0;

  // `count` elements of a floating type, or their absolute values, in double.
  virtual void widen(Address to, Address from, Type type, std::int64_t count, bool absolute) = 0;
  // At the speed of the device's memory; a device that emulates asserts.
  virtual Compared compare(const Comparison& comparison) = 0;

  // Throws MachineError for an image that does not load; a missing entry names it.
  virtual ModuleId load(const Artifact& artifact) = 0;
  virtual void unload(ModuleId module) = 0;

  // Launches and waits, at most until the deadline.
  virtual RunResult run(const Timed& timed, const RunOptions& options, Clock::time_point deadline) = 0;

  // Runs the links in order, each launched as a dependent one: what is left to it is written late, when it may already
  // run. Waits, at most until the deadline. A device that emulates writes first and then runs.
  virtual RunResult run_chain(std::span<const Link> links, const RunOptions& options, Clock::time_point deadline);

  // --- times; a device that emulates asserts ---
  // One graph of all of these in order, between two event records inside the graph.
  // What `before` copies comes first and is not timed. A dependent execution may start before the one in front of it
  // has ended.
  virtual GraphId record(std::span<const Timed> launches, std::span<const Copy> before) = 0;
  virtual void drop(GraphId graph) = 0;
  // Replays each graph once, in this order, without waiting between; returns microseconds a graph. No graph may be
  // named twice. Throws DeviceFault.
  virtual std::vector<double> replay(std::span<const GraphId> graphs, Clock::time_point deadline) = 0;
  // y = A x through cuBLAS as one graph over the given copies: cublasGemmEx, op T, fp32 compute, 32 MiB workspace.
  // `order` 0: A as the left operand; 1: x as the left operand. Empty text: recorded; else why not.
  struct Gemv {
    Type type = Type::f16;
    Type out = Type::f16;
    std::int64_t rows = 0, columns = 0, row_stride = 0;
    int order = 0;
    std::vector<Address> a, y;  // one pair a launch
    Address x = 0;
  };
  virtual std::string record_vendor_gemv(const Gemv& gemv, GraphId& graph) = 0;
  // What a baseline's shared object (core/baseline_abi.h) launches with each of these arguments, as one graph; modules
  // have no meaning. Empty text: recorded; else why not.
  virtual std::string record_foreign(const std::string& library, std::span<const Timed> calls,
                                     std::span<const Copy> before, GraphId& graph) = 0;
  virtual Conditions conditions() = 0;
};

// The GPU with this index. `support` is the cubin of kernel_templates/support/support.cu for its architecture (fill,
// checksum, first_not, compare, widen); facts of a GPU can be read before it is known, through list_gpus. Throws
// MachineError.
std::unique_ptr<Device> open_cuda(int index, const Artifact& support);
std::unique_ptr<Device> open_host();

// What the driver reports, read in this process; throws MachineError when there is no driver (its text says what was
// tried). Never call it in a process that must outlive a driver fault: ask a worker.
std::vector<GpuFacts> list_gpus();
// Who else is on the GPU with this index. In the same kind of process, before it opens the GPU: afterwards it is itself
// among them.
GpuUsers gpu_users(int index);

}  // namespace tuner::device
