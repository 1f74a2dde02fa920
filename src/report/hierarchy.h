// What a GPU was measured to reach, from the registers to its memory, as text and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ceiling_probe.h"
#include "report/style.h"
#include "store/lookup.h"

namespace tuner::report {

struct MeasuredCeiling {
  const CeilingProbe* probe = nullptr;
  const store::Entry* entry = nullptr;
  double value = 0;             // in the probe's unit; 0: no configuration was valid
  double spread = 0;            // of its samples
  std::optional<double> rated;  // by widths and clocks
  double clocks = 0;            // of a latency, at the clock that ran; 0: unknown
  std::string config;
};

struct Hierarchy {
  GpuFacts gpu;
  std::vector<MeasuredCeiling> ceilings;  // in the order of ceiling_probes()

  // Null where it was not measured.
  const MeasuredCeiling* find(std::string_view kernel) const;
  // The best that does this arithmetic ("tensor_f16"); null where none was measured.
  const MeasuredCeiling* arithmetic(std::string_view unit) const;
};

// Whether a kernel's writes are so many that a copy is its measure, as sweeps decide it.
bool copies(const ProblemResult& result);

// Of each GPU model among these results: of every probe the first in their order that has times, and of the large ones
// the best that any sweep saw, where it is more. Rows of the host device are left out.
std::vector<Hierarchy> hierarchies_of(const std::vector<store::Entry>& entries);

std::string hierarchies_text(const std::vector<Hierarchy>& all, const Style& style);
std::string hierarchies_json(const std::vector<Hierarchy>& all);

}  // namespace tuner::report
