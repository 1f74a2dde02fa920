// An execution: an ordered list of memsets and launches, timed as one. Fully resolved plain data; the protocol, the
// store and the header speak of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"

namespace tuner {

// weight: read, cold (rotates); activation: read, hot; output: written (rotates); in_place: read and written, restored
// before every launch (rotates); accumulator: set to `initial` before every launch, then added to (rotates); scratch:
// written, no meaning after; zeroed: scratch that is 0 before the first launch and that every launch leaves 0.
enum class Role { weight, activation, output, in_place, accumulator, scratch, zeroed };
std::string_view to_text(Role role);
// Filled before a run: weight, activation, in_place.
bool is_read(Role role);
// Judged after it: output, in_place, accumulator.
bool is_result(Role role);
// A configuration's own, which neither references nor baselines take: scratch, zeroed.
bool is_scratch(Role role);

// uniform over [low, high); normal: mean low, deviation high; constant: low; iota: low + index * high; file: the
// elements of a .npy file, or any other file's bytes as they are.
struct Fill {
  enum class Kind { uniform, normal, constant, iota, file } kind = Kind::uniform;
  double low = -1;
  double high = 1;
  std::string path = {};  // absolute
  double edge = 0;        // not 0: what stands at the edges of rows in the exact data set (measure/edges.h)
  bool operator==(const Fill&) const = default;
};

struct Argument {
  std::string name;
  Type type = Type::f32;
  bool is_buffer = true;
  // Buffers.
  Role role = Role::weight;
  std::int64_t elements = 0;
  std::int64_t align_bytes = 1;  // what this configuration needs of the pointer
  Fill fill;
  bool given_fill = false;  // the manifest says `fill`: an integer buffer then keeps it in both data sets
  double initial = 0;       // accumulators
  std::string symbol;       // not empty: a __constant__ of the module, set before a run; no argument of launches
  // Scalars, passed by value converted to `type`: `real` where it is floating.
  std::int64_t value = 0;
  double real = 0;
  std::string bytes_by_value;  // a struct as it lies in memory; `type` then has no meaning

  std::int64_t bytes() const { return bytes_of(type, elements); }
  // What a launch passes: 8 for a buffer.
  std::int64_t parameter_bytes() const;
  bool operator==(const Argument&) const = default;
};

struct Dim3 {
  std::int64_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
};

struct Step {
  enum class Kind { memset, launch } kind = Kind::launch;
  // memset: the named buffer argument is set to `byte` all over.
  std::string argument;
  int byte = 0;
  // launch: a __global__ of the module, as a name expression (`reduce<256, float>`).
  std::string entry;
  Dim3 grid;
  Dim3 block;
  std::int64_t shared_bytes = 0;  // dynamic
  Dim3 cluster;                   // in blocks; {1, 1, 1}: none
  bool cooperative = false;       // all blocks resident at once, so that a grid may synchronise
  // Names of the arguments this entry takes, in its order; empty: all but symbols.
  std::vector<std::string> arguments;
  // Scalars that have another value in this launch than in others: those made of a `repeat` index.
  std::vector<std::pair<std::string, std::int64_t>> values;
  bool operator==(const Step&) const = default;
};

// Whether a launch takes the argument.
bool takes(const Step& launch, const Argument& argument);

struct Execution {
  std::vector<Argument> arguments;
  std::vector<Step> steps;
  // Launched before its predecessor has ended: the first launch may read weights at once, and touches nothing else
  // before it has waited.
  bool dependent = false;
  bool operator==(const Execution&) const = default;
};

std::string to_json(const Execution& execution);
Execution execution_from_json(std::string_view text);

// The steps alone, as the store keeps them.
std::string to_json(const std::vector<Step>& steps);
std::vector<Step> steps_from_json(std::string_view text);

// How far a result may be from its reference on the random set.
//
// terms:  gamma(chain + 2) * sum of |terms| + half a step of the format; the sum is the reference of |inputs|.
// exact:  not at all (after rounding to the format).
// stated: relative * |reference| + absolute, with the manifest's reason.
struct ErrorBound {
  enum class Kind { terms, exact, stated } kind = Kind::terms;
  double relative = 0;
  double absolute = 0;
  bool operator==(const ErrorBound&) const = default;
};

// Where the right results come from.
//
// none:   nowhere (probes).
// gemv:   built in: output[batch][M] = weight[M][row_stride] activation[batch][N].
// host:   `function` of the shared object `file`, in a process of its own. It takes the kernel's arguments; floating
//         buffers as double*, floating scalars as double.
// kernel: the first of `steps` of the manifest's reference source; a second one sums |terms|. Arguments as for host.
// data:   `expected`, files by the name of a result.
struct ReferencePlan {
  enum class Kind { none, gemv, host, kernel, data } kind = Kind::none;
  std::string function;
  std::string file;
  std::vector<Step> steps;
  std::vector<std::pair<std::string, std::string>> expected;
  ErrorBound bound;
  bool exact_integers = true;  // small integers give exact results, in any order of additions
  bool operator==(const ReferencePlan&) const = default;
};

// One problem resolved for a device: what a worker prepares once, before any candidate of it.
struct Workload {
  std::string kernel;
  std::vector<std::int64_t> dims;
  std::vector<Argument> arguments;  // roles, sizes and fills; scratch sizes are a candidate's own (its Execution)
  ReferencePlan reference;
  std::int64_t terms = 1;  // products summed into one result
  std::int64_t batch = 1;
  std::int64_t row_stride = 0;  // elements
  // Elements every buffer is shifted from a 256-byte boundary (0: aligned): how misaligned pointers are tried.
  std::int64_t misalign_elements = 0;
  // In the dependent regime: activations, and what result of the launch before becomes them.
  std::vector<std::pair<std::string, std::string>> feeds;
  double bytes_read = 0;
  double bytes_written = 0;
  double flops = 0;
};

std::string to_json(const Workload& workload);
Workload workload_from_json(std::string_view text);

}  // namespace tuner
