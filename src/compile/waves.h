// How a launch fills a GPU: its waves and their tail, and the bytes it has in flight against what Little's law asks
// for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compile/occupancy.h"
#include "core/execution.h"
#include "core/gpu.h"

namespace tuner::compile {

struct Waves {
  std::int64_t blocks = 0;
  std::int64_t at_once = 0;     // blocks that all SMs hold together
  double waves = 0;             // blocks / at_once
  double tail = 0;              // share of the last wave that is empty
  double blocks_an_sm = 0;      // in the first wave, on average
  std::int64_t most_an_sm = 0;  // in all, of the fullest SM
};
// Empty where the number of SMs is unknown or the launch cannot run.
std::optional<Waves> waves_of(const Step& launch, const Occupancy& occupancy, const GpuFacts& gpu);

// Little's law: bandwidth x latency bytes must be in flight, or latency shows.
struct InFlight {
  double bytes_an_sm = 0;   // resident threads x what one has in flight, at least
  double needed_an_sm = 0;  // bandwidth x latency / SMs
  double gb_per_s = 0;
  bool measured = false;  // the bandwidth: a probe's, or else that of the memory clock
  double latency_ns = 0;
  std::string latency_from;
};
// `bytes_a_thread`: of loads that a thread issues before it uses the first. `measured_gb_per_s`: 0 when unknown. Empty
// where no bandwidth is known.
std::optional<InFlight> in_flight(const Waves& waves, const Step& launch, double bytes_a_thread,
                                  double measured_gb_per_s, const GpuFacts& gpu);

// What blocks read twice, against what L2 holds until then.
struct Reread {
  double bytes_a_block = 0;
  std::int64_t blocks = 0;  // whose bytes wait together: those at once, or all where a later launch reads them again
  double waiting = 0;       // bytes of these blocks
  double l2_bytes = 0;
  double all = 0;  // bytes of all blocks
  bool spills() const { return waiting > l2_bytes; }
};
// `later`: it is a later launch that reads them again. Empty where nothing is read twice, or nothing is known of L2.
std::optional<Reread> reread(const Waves& waves, double bytes_a_block, bool later, const GpuFacts& gpu);

}  // namespace tuner::compile
