// The kernels of the fake device: a gemv, right or wrong in one way.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>

#include "core/number.h"
#include "device/device.h"
#include "device/generator.h"
#include "measure/data_set.h"

namespace tuner {

struct FakeGemv {
  const Argument *a = nullptr, *x = nullptr, *y = nullptr;
  device::Address a_at = 0, x_at = 0, y_at = 0, scratch_at = 0;
  std::int64_t rows = 0, columns = 0;
};

inline std::byte* fake_memory(device::Address address) { return reinterpret_cast<std::byte*>(address); }

inline FakeGemv fake_arguments(const device::Timed& timed) {
  FakeGemv g;
  for (std::size_t i = 0; i < timed.execution->arguments.size(); ++i) {
    const Argument& argument = timed.execution->arguments[i];
    if (!argument.is_buffer) continue;
    const device::Address address = timed.bindings[i];
    if (argument.name == "A") g.a = &argument, g.a_at = address;
    if (argument.name == "x") g.x = &argument, g.x_at = address;
    if (argument.name == "y") g.y = &argument, g.y_at = address;
    if (argument.role == Role::scratch) g.scratch_at = address;
  }
  g.rows = g.y->elements;
  g.columns = g.x->elements;
  return g;
}

// `nth`: which run of the device this is.
inline void fake_gemv(const device::Timed& timed, const std::string& fault, std::uint64_t order_seed, int nth) {
  const FakeGemv g = fake_arguments(timed);
  const std::int64_t stride = g.a->elements / g.rows;
  const auto element = [](const Argument& argument, device::Address base, std::int64_t i) {
    return decode(argument.type, fake_memory(base) + i * size_of(argument.type));
  };
  const auto write = [&](std::int64_t i, double value) {
    encode(g.y->type, value, fake_memory(g.y_at) + i * size_of(g.y->type));
  };
  std::int64_t begin = 0, end = g.columns;
  if (fault == "drop_last") end -= 1;
  if (fault == "drop_last_vector") end -= 8;
  if (fault == "only_whole_vectors") end -= g.columns % 8;
  if (fault == "crash_on_tail" && g.columns % 8 != 0) begin = end;
  for (std::int64_t row = 0; row < g.rows; ++row) {
    float lanes[32] = {};
    for (std::int64_t j = begin; j < end; ++j)
      lanes[j % 32] = std::fmaf(static_cast<float>(element(*g.a, g.a_at, row * stride + j)),
                                static_cast<float>(element(*g.x, g.x_at, j)), lanes[j % 32]);
    if (fault == "warp_partial") lanes[7] = 0;
    if (fault == "count_twice")
      lanes[0] += static_cast<float>(element(*g.a, g.a_at, row * stride) * element(*g.x, g.x_at, 0));
    float sum = 0;
    for (const float lane : lanes) sum += lane;
    if (fault == "scaled")
      for (const Argument& argument : timed.execution->arguments)
        if (argument.name == "scale") sum *= static_cast<float>(argument.real);
    if (fault == "accumulates") sum += static_cast<float>(element(*g.y, g.y_at, row));
    if (fault == "nan" && row == 3) sum = std::numeric_limits<float>::quiet_NaN();
    if (fault == "no_barrier" && (order_seed + static_cast<std::uint64_t>(row)) % 3 == 1) sum -= lanes[5];
    if (fault == "block_order" && order_seed % 2 == 1 && row == 0) sum += 1;
    if (fault == "racy" && nth % 2 == 1 && row == 2) sum += 1;
    // Wrong, and in run B of every A otherwise wrong: "rare_race_AB", two letters.
    if (fault.rfind("rare_race_", 0) == 0 && row == 2) sum += nth % (fault[10] - 'a') == fault[11] - 'a' ? 2.0F : 1.0F;
    if (fault == "last_bit" && nth % 2 == 1) sum = std::nextafter(sum, 1e30f);
    if (fault == "unwritten" && row % 5 == 4) continue;
    if (fault == "last_row" && row == g.rows - 1) sum += 0.25F * lanes[0] + 1;
    if (fault == "last_row_once" && row == g.rows - 1 && nth % 2 == 0) sum = sum * 1.5F + 1;
    write(row, sum);
  }
  if (fault == "reads_past" || fault == "reads_before") {
    const std::int64_t at = fault == "reads_past" ? g.columns : -1;
    write(1, element(*g.x, g.x_at, at));
  }
  if (fault == "past_end") write(g.rows, 0);
  if (fault == "before_start") write(-1, 0);
  if (fault == "past_input") *(fake_memory(g.a_at) + g.a->bytes() + 3) = std::byte{0};
  if (fault == "far_past_end") write(g.rows + 1000, 0);
  if (fault == "past_scratch") encode(Type::f32, 0, fake_memory(g.scratch_at) + g.rows * 4);
  if (fault == "crash_on_tail" && begin == end) write(g.rows, 0);
  for (std::size_t i = 0; i < timed.execution->arguments.size(); ++i) {
    const Argument& argument = timed.execution->arguments[i];
    if (argument.role != Role::zeroed || !argument.is_buffer) continue;
    std::byte* const counters = fake_memory(timed.bindings[i]);
    for (std::int64_t at = 0; at < argument.bytes(); ++at)
      if (counters[at] != std::byte{0}) write(0, -1);
    if (fault == "keeps_count") counters[5] = std::byte{1};
  }
  if (fault == "change_input") *(fake_memory(g.a_at) + 2) = std::byte{0x5a};
}

// Whether the first argument holds data of generation 0, in either set.
inline bool has_first_data(const device::Timed& launch) {
  Workload workload;
  workload.arguments = launch.execution->arguments;
  workload.arguments.front().elements = 1;
  workload.terms = 64;
  for (const measure::DataSet set : {measure::DataSet::exact, measure::DataSet::random}) {
    const auto first = device::generated_bytes(measure::fill_request(workload, 0, set, 0));
    if (std::memcmp(fake_memory(launch.bindings.front()), first.data(), first.size()) == 0) return true;
  }
  return false;
}

}  // namespace tuner
