// Where along a kernel of the dependent regime its successor may start: what the parameter `trigger` says (start,
// loads, end); at the start where a kernel has no such parameter, or another regime.
#pragma once

#include "tuner_intrinsics.cuh"

// loads: what a thread needs of the weights has come; end: its results are stored.
enum class Trigger { start, loads, end };

// A kernel calls it at all three places.
template <Trigger here>
__device__ __forceinline__ void let_successor_start_at() {
#if defined(trigger)
  constexpr Trigger wanted = trigger == trigger_loads ? Trigger::loads
                             : trigger == trigger_end ? Trigger::end
                                                      : Trigger::start;
#else
  constexpr Trigger wanted = Trigger::start;
#endif
  if constexpr (here == wanted) let_successor_start();
}
