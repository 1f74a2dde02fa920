// The probe that moves as many bytes as a kernel: what the kernel could reach, whatever it computes.
#pragma once

#include <vector>

#include "tune/ceiling.h"

namespace tuner::tune {

// The workload that size-matched probes of their own data run on; it goes with the problem.
inline constexpr int sized_workload = probe_ids;

struct SizedProbes {
  std::vector<Probe> probes;
  double scale = 1;  // bytes of the kernel over bytes of the probe: what its times are multiplied by
};

// Whether writes are so many (a tenth of all bytes) that a copy is the measure, not a read.
bool is_copy(double bytes_read, double bytes_written);

// In this regime: a read of as many bytes, or a copy of as many in all, at least 64 KiB. Empty where the memory does
// not suffice or there is no such probe.
SizedProbes probes_of_size(Session& session, double bytes_read, double bytes_written, const std::string& regime);

}  // namespace tuner::tune
