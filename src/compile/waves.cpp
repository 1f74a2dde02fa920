#include "compile/waves.h"

#include <algorithm>

namespace tuner::compile {
namespace {

struct Latency {
  double ns;
  const char* from;
};

// Of DRAM under load, as bytes in flight over the rate they gave; an idle GPU answers in half of it.
// sm_75: a T4 with 256 threads a block and one 4-byte load a thread reads 63 % of its 320 GB/s with 128 blocks and 81 %
// with 256. Later ones: a GH200 with 2048 threads an SM and one 8-byte load each reads 2.78 TB/s (gpu-benches,
// gpu-stream).
Latency latency_of(const GpuFacts& gpu) {
  if (gpu.arch < 80) return {640, "of a T4 under load"};
  return {780, "of a GH200 under load"};
}

double rated_gb_per_s(const GpuFacts& gpu) { return 2.0 * gpu.memory_clock_khz * 1e3 * gpu.memory_bus_bits / 8 / 1e9; }

}  // namespace

std::optional<Waves> waves_of(const Step& launch, const Occupancy& occupancy, const GpuFacts& gpu) {
  if (gpu.sm_count < 1 || occupancy.blocks_per_sm < 1) return std::nullopt;
  Waves w;
  w.blocks = launch.grid.x * launch.grid.y * launch.grid.z;
  w.at_once = std::int64_t{occupancy.blocks_per_sm} * gpu.sm_count;
  w.waves = static_cast<double>(w.blocks) / static_cast<double>(w.at_once);
  const std::int64_t last = w.blocks % w.at_once;
  w.tail = last == 0 ? 0 : 1 - static_cast<double>(last) / static_cast<double>(w.at_once);
  w.blocks_an_sm = static_cast<double>(std::min(w.blocks, w.at_once)) / gpu.sm_count;
  w.most_an_sm = (w.blocks + gpu.sm_count - 1) / gpu.sm_count;
  return w;
}

std::optional<InFlight> in_flight(const Waves& waves, const Step& launch, double bytes_a_thread,
                                  double measured_gb_per_s, const GpuFacts& gpu) {
  InFlight f;
  f.measured = measured_gb_per_s > 0;
  f.gb_per_s = f.measured ? measured_gb_per_s : rated_gb_per_s(gpu);
  if (bytes_a_thread <= 0 || f.gb_per_s <= 0) return std::nullopt;
  const Latency latency = latency_of(gpu);
  f.latency_ns = latency.ns;
  f.latency_from = latency.from;
  const auto threads = static_cast<double>(launch.block.x * launch.block.y * launch.block.z);
  f.bytes_an_sm = waves.blocks_an_sm * threads * bytes_a_thread;
  f.needed_an_sm = f.gb_per_s * latency.ns / gpu.sm_count;
  return f;
}

std::optional<Reread> reread(const Waves& waves, double bytes_a_block, bool later, const GpuFacts& gpu) {
  if (bytes_a_block <= 0 || gpu.l2_bytes <= 0) return std::nullopt;
  Reread r;
  r.bytes_a_block = bytes_a_block;
  r.blocks = later ? waves.blocks : std::min(waves.blocks, waves.at_once);
  r.waiting = bytes_a_block * static_cast<double>(r.blocks);
  r.l2_bytes = static_cast<double>(gpu.l2_bytes);
  r.all = bytes_a_block * static_cast<double>(waves.blocks);
  return r;
}

}  // namespace tuner::compile
