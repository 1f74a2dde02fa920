// An execution: an ordered list of memsets and launches, timed as one. Fully resolved plain data; the protocol, the
// store and the header speak of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace tuner {

// weight: read, cold (rotates); activation: read, hot; output: written (rotates); scratch: written, no meaning after.
enum class Role { weight, activation, output, scratch };
std::string_view to_text(Role role);

// uniform over [low, high); constant = low.
struct Fill {
  enum class Kind { uniform, constant } kind = Kind::uniform;
  double low = -1;
  double high = 1;
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
  // Scalars, passed by value converted to `type`.
  std::int64_t value = 0;

  std::int64_t bytes() const { return elements * size_of(type); }
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
  // launch: a __global__ of the module; every launch takes all arguments in order.
  std::string entry;
  Dim3 grid;
  Dim3 block;
  std::int64_t shared_bytes = 0;  // dynamic
  bool operator==(const Step&) const = default;
};

struct Execution {
  std::vector<Argument> arguments;
  std::vector<Step> steps;
  bool operator==(const Execution&) const = default;
};

std::string to_json(const Execution& execution);
Execution execution_from_json(std::string_view text);

// The steps alone, as the store keeps them.
std::string to_json(const std::vector<Step>& steps);
std::vector<Step> steps_from_json(std::string_view text);

// One problem resolved for a device: what a worker prepares once, before any candidate of it.
struct Workload {
  std::string kernel;
  std::vector<std::int64_t> dims;
  std::vector<Argument> arguments;  // roles, sizes and fills; scratch sizes are a candidate's own (its Execution)
  std::string reference;            // "gemv": y[batch][M] = A[M][row_stride] x[batch][N]; "none" for probes
  std::int64_t batch = 1;
  std::int64_t row_stride = 0;  // elements
  // Elements every buffer is shifted from a 256-byte boundary (0: aligned): how misaligned pointers are tried.
  std::int64_t misalign_elements = 0;
  double bytes_read = 0;
  double bytes_written = 0;
  double flops = 0;
};

std::string to_json(const Workload& workload);
Workload workload_from_json(std::string_view text);

}  // namespace tuner
