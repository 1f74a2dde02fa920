// What the probes of kernel_templates/probes measure, and what a GPU can reach by its data sheet: no probe may say
// more.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/gpu.h"

namespace tuner {

enum class CeilingUnit { ns, gb_per_s, tflop_per_s };
std::string_view to_text(CeilingUnit unit);  // "ns", "GB/s", "TFLOP/s"

struct CeilingProbe {
  std::string_view kernel;  // "probe_l2"
  std::string_view of;      // "L2", "fp32 FMA"
  CeilingUnit unit = CeilingUnit::gb_per_s;
  // Of arithmetic: what a manifest calls the unit that does it, "tensor_f16"; several probes may be of one.
  std::string_view arithmetic = {};
};

// In the order of a table: latencies and bandwidths from the registers outwards, then arithmetic.
const std::vector<CeilingProbe>& ceiling_probes();
// Null for a kernel that is none.
const CeilingProbe* ceiling_probe(std::string_view kernel);
// The words of a manifest's `arithmetic`.
const std::vector<std::string_view>& arithmetic_units();

// What one launch of a probe did, and its time.
struct ProbeRun {
  double bytes = 0;
  double flops = 0;
  double steps = 0;  // that wait for each other
  double time_us = 0;
};
// In the probe's unit; 0 where the time is.
double ceiling_value(const CeilingProbe& probe, const ProbeRun& run);

// By widths and clocks, in the probe's unit: at the highest clock of the multiprocessors, or that of the memory. Empty
// for latencies and where the architecture or a clock is unknown.
std::optional<double> rated_value(const CeilingProbe& probe, const GpuFacts& gpu);

// Whether this is beyond what the GPU can do by over 2 %.
bool is_impossible(const CeilingProbe& probe, double value, const GpuFacts& gpu);

}  // namespace tuner
