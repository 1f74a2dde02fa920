#include "core/ceiling_probe.h"

#include <algorithm>

namespace tuner {
namespace {

using Unit = CeilingUnit;

// A clock of one multiprocessor. CUDA C++ programming guide, "throughput of native arithmetic instructions" and "memory
// hierarchy"; tensor cores: the data sheets' dense rates over SMs and boost clock.
struct Widths {
  int arch;
  int fma_f32, fma_f16, fma_f64, tensor_f16;  // multiplications with addition; fp16 factors, fp32 sums
  int shared_bytes, l1_bytes, l2_bytes;
};
constexpr Widths widths[] = {
    {75, 64, 128, 2, 512, 128, 64, 64},      {80, 64, 256, 32, 1024, 128, 128, 64},
    {86, 128, 128, 2, 512, 128, 128, 64},    {87, 128, 128, 2, 1024, 128, 128, 64},
    {89, 128, 128, 2, 512, 128, 128, 64},    {90, 128, 256, 64, 2048, 128, 128, 64},
    {100, 128, 256, 64, 4096, 128, 128, 64}, {120, 128, 128, 2, 512, 128, 128, 64},
};

const Widths* widths_of(int arch) {
  const auto at =
      std::find_if(std::begin(widths), std::end(widths), [arch](const Widths& w) { return w.arch == arch; });
  return at == std::end(widths) ? nullptr : at;
}

int arithmetic_width(std::string_view unit, const Widths& w) {
  if (unit == "fma_f32") return w.fma_f32;
  if (unit == "fma_f16") return w.fma_f16;
  if (unit == "fma_f64") return w.fma_f64;
  return w.tensor_f16;
}

int byte_width(std::string_view kernel, const Widths& w) {
  if (kernel == "probe_shared") return w.shared_bytes;
  if (kernel == "probe_l1") return w.l1_bytes;
  return w.l2_bytes;
}

}  // namespace

std::string_view to_text(CeilingUnit unit) {
  return unit == Unit::ns ? "ns" : unit == Unit::gb_per_s ? "GB/s" : "TFLOP/s";
}

const std::vector<CeilingProbe>& ceiling_probes() {
  static const std::vector<CeilingProbe> probes{
      {"probe_latency_register", "registers", Unit::ns},
      {"probe_latency_constant", "constant memory", Unit::ns},
      {"probe_latency_shared", "shared memory", Unit::ns},
      {"probe_latency_l1", "L1", Unit::ns},
      {"probe_latency_l2", "L2", Unit::ns},
      {"probe_latency_memory", "global memory", Unit::ns},
      {"probe_shared", "shared memory", Unit::gb_per_s},
      {"probe_l1", "L1", Unit::gb_per_s},
      {"probe_l2", "L2", Unit::gb_per_s},
      {"probe_read", "global memory", Unit::gb_per_s},
      {"probe_copy", "global memory, copied", Unit::gb_per_s},
      {"probe_fma_f32", "fp32 FMA", Unit::tflop_per_s, "fma_f32"},
      {"probe_fma_f16", "fp16 FMA", Unit::tflop_per_s, "fma_f16"},
      {"probe_fma_f64", "fp64 FMA", Unit::tflop_per_s, "fma_f64"},
      {"probe_mma_f16", "fp16 tensor cores, mma.sync", Unit::tflop_per_s, "tensor_f16"},
      {"probe_wgmma_f16", "fp16 tensor cores, wgmma", Unit::tflop_per_s, "tensor_f16"},
  };
  return probes;
}

const CeilingProbe* ceiling_probe(std::string_view kernel) {
  for (const CeilingProbe& probe : ceiling_probes())
    if (probe.kernel == kernel) return &probe;
  return nullptr;
}

const std::vector<std::string_view>& arithmetic_units() {
  static const std::vector<std::string_view> units{"fma_f32", "fma_f16", "fma_f64", "tensor_f16"};
  return units;
}

double ceiling_value(const CeilingProbe& probe, const ProbeRun& run) {
  if (run.time_us <= 0) return 0;
  if (probe.unit == Unit::gb_per_s) return run.bytes / run.time_us / 1e3;
  if (probe.unit == Unit::tflop_per_s) return run.flops / run.time_us / 1e6;
  return run.steps > 0 ? run.time_us * 1e3 / run.steps : 0;
}

std::optional<double> rated_value(const CeilingProbe& probe, const GpuFacts& gpu) {
  const auto known = [](double value) { return value > 0 ? std::optional(value) : std::nullopt; };
  if (probe.unit == Unit::ns) return std::nullopt;
  if (probe.kernel == "probe_read" || probe.kernel == "probe_copy")  // two transfers a clock
    return known(2.0 * gpu.memory_clock_khz * gpu.memory_bus_bits / 8 / 1e6);
  const Widths* w = widths_of(gpu.arch);
  if (w == nullptr) return std::nullopt;
  const double clocks_per_s = 1e3 * gpu.sm_clock_khz * gpu.sm_count;
  if (probe.unit == Unit::tflop_per_s) return known(2 * clocks_per_s * arithmetic_width(probe.arithmetic, *w) / 1e12);
  return known(clocks_per_s * byte_width(probe.kernel, *w) / 1e9);
}

bool is_impossible(const CeilingProbe& probe, double value, const GpuFacts& gpu) {
  const auto rated = rated_value(probe, gpu);
  return rated && value > 1.02 * *rated;
}

}  // namespace tuner
