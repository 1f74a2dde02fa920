// Stored results under the roofs of their GPU: how many operations a byte each makes, and how near the roof it comes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/hierarchy.h"
#include "report/style.h"
#include "store/lookup.h"

namespace tuner::report {

// A bandwidth and what arithmetic reaches; they meet at the ridge.
struct Roof {
  double gb_per_s = 0;     // 0: not measured
  double tflop_per_s = 0;  // 0: not measured
  std::string arithmetic;  // "tensor_f16"
  std::string of;          // "fp16 tensor cores, wgmma"; empty where it was not measured

  std::optional<double> ridge() const;  // operations a byte
  // At this intensity; empty where what decides it was not measured.
  std::optional<double> at(double intensity) const;
};

struct RooflinePoint {
  const store::Entry* entry = nullptr;
  double intensity = 0;  // operations a byte, both as the manifest counts them
  double tflop_per_s = 0;
  double gb_per_s = 0;
  Roof roof;
  // "memory" left of the ridge, "compute" right of it; empty where the ridge is unknown.
  std::string side() const;
  std::optional<double> share() const;  // of the roof
};

struct Roofline {
  GpuFacts gpu;
  std::vector<Roof> roofs;  // of pure reads; each arithmetic once
  std::vector<RooflinePoint> points;
};

// The winners that `wanted` accepts, by GPU model; of one problem the first in the order of the layers. `arithmetic_of`
// says what a kernel calculates with. Probes are left out, and what counts no operations.
std::vector<Roofline> rooflines_of(const std::vector<store::Entry>& entries,
                                   const std::function<bool(const store::Entry&)>& wanted,
                                   const std::function<std::string(const std::string& kernel)>& arithmetic_of);

std::string rooflines_text(const std::vector<Roofline>& all, const Style& style);
std::string rooflines_json(const std::vector<Roofline>& all);
// One GPU as a picture, both axes logarithmic.
std::string roofline_svg(const Roofline& roofline);

}  // namespace tuner::report
