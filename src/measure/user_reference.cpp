#include "measure/user_reference.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/error.h"
#include "core/number.h"
#include "core/scalar_bits.h"
#include "measure/kernel_reference.h"
#include "measure/parallel.h"
#include "measure/value_file.h"

namespace tuner::measure {
namespace {

Type wide_type(Type type) { return is_floating(type) ? Type::f64 : type; }

std::vector<double> as_doubles(const std::vector<std::byte>& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

// Absolute values, where sums of |terms| are wanted.
std::vector<std::byte> buffer_bytes(device::Device& device, const Argument& argument, device::Address from,
                                    bool absolute) {
  std::vector<std::byte> held(static_cast<std::size_t>(argument.bytes()));
  device.download(from, held);
  if (!is_floating(argument.type)) return held;
  std::vector<std::byte> wide(static_cast<std::size_t>(argument.elements) * sizeof(double));
  parallel_pieces(argument.elements, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<std::size_t>(bytes_of(argument.type, begin));
    const auto bytes = static_cast<std::size_t>(bytes_of(argument.type, end)) - first;
    std::vector<double> values = decoded(argument.type, std::span(held).subspan(first, bytes));
    if (absolute)
      for (double& value : values) value = std::fabs(value);
    std::memcpy(wide.data() + static_cast<std::size_t>(begin) * sizeof(double), values.data(),
                static_cast<std::size_t>(end - begin) * sizeof(double));
  });
  return wide;
}

std::vector<std::byte> scalar_bytes(const Argument& argument, bool absolute) {
  if (!argument.bytes_by_value.empty()) {
    const auto* begin = reinterpret_cast<const std::byte*>(argument.bytes_by_value.data());
    return {begin, begin + argument.bytes_by_value.size()};
  }
  std::uint64_t bits = scalar_bits(argument);
  if (is_floating(argument.type))
    bits = std::bit_cast<std::uint64_t>(absolute ? std::fabs(argument.real) : argument.real);
  std::vector<std::byte> bytes(8);
  std::memcpy(bytes.data(), &bits, 8);
  return bytes;
}

std::vector<WideArgument> wide_arguments(device::Device& device, const Workload& workload,
                                         const std::vector<device::Address>& inputs, bool absolute) {
  std::vector<WideArgument> wide;
  for (std::size_t i = 0; i < workload.arguments.size(); ++i) {
    const Argument& argument = workload.arguments[i];
    if (argument.is_buffer && is_scratch(argument.role)) continue;
    WideArgument each{argument.name, wide_type(argument.type), argument.is_buffer};
    if (!argument.is_buffer) {
      each.bytes = scalar_bytes(argument, absolute);
    } else if (inputs[i] != 0) {
      each.bytes = buffer_bytes(device, argument, inputs[i], absolute);
    } else {
      // All ones: a NaN that no computation gives.
      each.bytes.assign(static_cast<std::size_t>(bytes_of(each.type, argument.elements)), std::byte{0xff});
    }
    each.is_struct = !argument.is_buffer && !argument.bytes_by_value.empty();
    each.is_result = argument.is_buffer && is_result(argument.role);
    wide.push_back(std::move(each));
  }
  return wide;
}

std::vector<double> values_of(const WideArgument& wide, std::int64_t elements) {
  std::vector<double> values = wide.type == Type::f64 ? as_doubles(wide.bytes) : decoded(wide.type, wide.bytes);
  values.resize(static_cast<std::size_t>(elements));
  return values;
}

}  // namespace

void check_written(std::span<const double> values, const std::string& result, const Workload& workload) {
  std::atomic<std::size_t> first{values.size()};
  parallel_pieces(static_cast<std::int64_t>(values.size()), [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (std::bit_cast<std::uint64_t>(values[i]) != ~std::uint64_t{0}) continue;
      for (std::size_t known = first; i < known && !first.compare_exchange_weak(known, i);) {
      }
      return;
    }
  });
  if (first < values.size())
    throw UserError(
        fmt::format("the reference '{}' never wrote {}[{}]", workload.reference.function, result, first.load()),
        workload.kernel,
        "every element of every result must be written; what a kernel reads as well has the role in_place");
}

std::vector<Reference> user_reference(device::Device& device, const Workload& workload,
                                      const std::vector<device::Address>& inputs, bool sums,
                                      const ReferenceTools& tools) {
  if (workload.reference.kind == ReferencePlan::Kind::kernel)
    return kernel_reference(device, workload, inputs, sums, tools.module);
  if (!tools.host) throw UserError("this process runs no host reference", workload.kernel);
  std::vector<Reference> references;
  for (const bool absolute : {false, true}) {
    if (absolute && !sums) break;
    std::vector<WideArgument> wide = wide_arguments(device, workload, inputs, absolute);
    tools.host(workload, wide);
    std::size_t result = 0;
    for (const WideArgument& each : wide) {
      if (!each.is_result) continue;
      const auto argument = std::find_if(workload.arguments.begin(), workload.arguments.end(),
                                         [&](const Argument& other) { return other.name == each.name; });
      std::vector<double> values = values_of(each, argument->elements);
      if (each.type == Type::f64) check_written(values, each.name, workload);
      if (!absolute)
        references.push_back({each.name, argument->type, std::move(values), {}});
      else
        take_magnitude(references[result++], std::move(values));
    }
  }
  return references;
}

std::vector<Reference> reference_data(const Workload& workload) {
  std::vector<Reference> references;
  for (const Argument& argument : workload.arguments) {
    if (!argument.is_buffer || !is_result(argument.role)) continue;
    for (const auto& [name, path] : workload.reference.expected) {
      if (name != argument.name) continue;
      std::vector<double> values = decoded(argument.type, read_values(path, argument.type, argument.elements));
      values.resize(static_cast<std::size_t>(argument.elements));
      std::vector<double> magnitude = values;
      for (double& value : magnitude) value = std::fabs(value);
      references.push_back({name, argument.type, std::move(values), std::move(magnitude)});
    }
  }
  return references;
}

}  // namespace tuner::measure
