// The probe that moves as many bytes as a kernel: what the kernel could reach, whatever it computes.
#pragma once

#include <vector>

#include "tune/ceiling.h"

namespace tuner::tune {

// The workload that size-matched probes of their own data run on; it goes with the problem.
inline constexpr int sized_workload = probe_ids;

enum class Width { likely, all };  // of the space of a probe that is tried

struct SizedProbes {
  std::vector<Probe> probes;
  bool narrow = false;  // not all configurations were tried
  double scale = 1;     // bytes of the kernel over bytes of the probe: what its times are multiplied by
};

// Whether writes are so many (a tenth of all bytes) that a copy is the measure, not a read.
bool is_copy(double bytes_read, double bytes_written);

// Whether it reads something, and nothing of that is cold.
bool reads_hot(const Workload& workload);

// In this regime: a read of as many bytes, or a copy of as many in all, at least 64 KiB; a copy of what is hot for what
// reads hot. Empty where the memory does not suffice or there is no such probe, as there is none that reads hot alone.
SizedProbes probes_of_size(Session& session, const Workload& workload, const std::string& regime, Width width);

}  // namespace tuner::tune
