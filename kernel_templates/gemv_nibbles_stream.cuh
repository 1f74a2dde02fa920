// Tiles of gemv_nibbles_mma.cuh by blocks that stay: one warp more than multiplies keeps a ring of stages in shared
// memory filled by bulk copies. A stage is stage_steps steps of a block's kTileRows rows, a copy a row, or (0) the rows
// as they are in one copy, which is quicker where there are many. The steps go round the warps, which add up what they
// have when the rows end.
#pragma once

#include "gemv_nibbles_mma.cuh"
#include "tuner_bulk.cuh"

constexpr int kStages = stages;
constexpr bool kWhole = stage_steps == 0;
constexpr int kStageSteps = kWhole ? 1 << 30 : stage_steps;
#if stage_steps == 0
constexpr int kSteps = steps_in_flight;  // that a warp multiplies at once
#else
constexpr int kSteps = kStageSteps / kWarps;
#endif
constexpr int kGroupBytes = kTileRows * static_cast<int>(sizeof(Scale));
constexpr int kPiece = kGroupBytes < 16 ? kGroupBytes : 16;  // that is copied of a group's scales at once
// Who is at a stage knows that all have left the one kStages before it, and with it the sums of those rows.
constexpr int kParts = kStages + 1;

struct Shared {
  Barrier full[kStages], empty[kStages];
  Barrier staged;  // x is in shared memory
  Barrier added[kParts];
  Partial part[kParts];
};

// Where one goes round a ring.
template <int places>
struct Turn {
  int place = 0;
  unsigned int parity = 0;

  __device__ __forceinline__ void advance() {
    if (++place < places) return;
    place = 0;
    parity ^= 1;
  }
};

// One arrival, when what this thread has copied by copy_async_16() so far is there.
__device__ __forceinline__ void arrive_after_copies(Barrier* barrier) {
#ifdef TUNER_HOST
  arrive(barrier);
#else
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
#endif
}

// `bytes` is 8 or 16, and divides both addresses.
template <int bytes>
__device__ __forceinline__ void copy_async(SharedPointer to, const void* from) {
  if constexpr (bytes == 16) {
    copy_async_16(to, 0, from, true);
  } else {
#ifdef TUNER_HOST
    *reinterpret_cast<unsigned long long*>(to) = *static_cast<const unsigned long long*>(from);
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from));
#endif
  }
}

__device__ __forceinline__ int count_steps(const Weights& weights) {
  return static_cast<int>((static_cast<unsigned int>(weights.columns) + kStepColumns - 1) / kStepColumns);
}

// A stage: codes by row, as many bytes as a last step may look at beyond them, scales by group. Neighbouring lanes are
// in different banks: at different parts of a row, or at rows that are not whole lines apart.
struct Layout {
  int row_bytes, scales, size;

  __device__ __forceinline__ explicit Layout(const Weights& weights)
      : row_bytes(kWhole ? static_cast<int>(weights.pitch()) : kStageSteps * kStepBytes + 64),
        scales(kTileRows * row_bytes + (kWhole ? kStepBytes : 0)),
        size(scales + ((kWhole ? weights.groups() : kStageSteps * kSplit * kClasses) * kGroupBytes + 15) / 16 * 16) {}
};

// Where the block's rows begin in one of its rounds: the last ones once more where they would go beyond the end.
__device__ __forceinline__ int block_row(int rows, int round) {
  return static_cast<int>(min(static_cast<long long>(blockIdx.x + round * gridDim.x) * kTileRows,
                              static_cast<long long>(rows - kTileRows)));
}

// The scales of rows from `row` on and of a stage's groups from `first` on, and one arrival of each lane when they are
// there.
__device__ __forceinline__ void copy_scales(const Weights& weights, int row, int first, int lane, char* to,
                                            Barrier* full) {
  const Scale* const from = weights.scale + static_cast<long long>(first) * weights.rows + row;
  int groups = weights.groups() - first;
  if constexpr (!kWhole) groups = min(groups, kStageSteps * kSplit * kClasses);
  if (kPiece >= 8 && (address_of(from) | static_cast<unsigned long long>(weights.rows) * sizeof(Scale)) % kPiece == 0) {
    constexpr int apiece = kGroupBytes / kPiece, each = kPiece / static_cast<int>(sizeof(Scale));
    const auto copy = [&](int i) {
      if (i < groups * apiece)
        copy_async<kPiece>(shared_pointer(to) + i * kPiece,
                           from + static_cast<long long>(i / apiece) * weights.rows + i % apiece * each);
    };
    if constexpr (kWhole) {
#pragma unroll 1
      for (int i = lane; i < groups * apiece; i += 32) copy(i);
    } else {
#pragma unroll
      for (int i = 0; i < kStageSteps * kSplit * kClasses * apiece; i += 32) copy(i + lane);
    }
    arrive_after_copies(full);
  } else {
#pragma unroll 1
    for (int i = lane; i < groups * kTileRows; i += 32)
      reinterpret_cast<Scale*>(to)[i] = from[static_cast<long long>(i / kTileRows) * weights.rows + i % kTileRows];
    arrive(full);
  }
}

// The codes of a stage, and one arrival.
__device__ __forceinline__ void copy_codes(const Weights& weights, const Layout& layout, int row, int first, int lane,
                                           char* to, Barrier* full) {
  const char* const from = weights.codes + row * weights.pitch() + static_cast<long long>(first) * kStepBytes;
  if constexpr (kWhole) {
    if (lane == 0) {
      arrive_expecting(full, kTileRows * layout.row_bytes);
      copy_bulk(to, from, kTileRows * layout.row_bytes, full);
    }
  } else {
    const unsigned int bytes =
        static_cast<unsigned int>(min(static_cast<long long>(kStageSteps * kStepBytes),
                                      weights.pitch() - static_cast<long long>(first) * kStepBytes));
    if (lane == 0) arrive_expecting(full, kTileRows * bytes);
    __syncwarp();
#pragma unroll 1
    for (int r = lane; r < kTileRows; r += 32)
      copy_bulk(to + r * layout.row_bytes, from + r * weights.pitch(), bytes, full);
  }
}

// What the warp that copies does.
__device__ __forceinline__ void fill_ring(const Weights& weights, const Layout& layout, Shared& shared, char* ring) {
  const int lane = static_cast<int>(threadIdx.x % 32), steps = count_steps(weights);
  Turn<kStages> turn;
  int filled = 0;
#pragma unroll 1
  for (int round = 0; has_rows(weights.rows, round); ++round) {
    const int row = block_row(weights.rows, round);
#pragma unroll 1
    for (int first = 0; first < steps; first += kStageSteps) {
      if (filled < kStages)
        ++filled;
      else
        wait_for_phase(shared.empty + turn.place, turn.parity ^ 1);
      char* const to = ring + turn.place * layout.size;
      Barrier* const full = shared.full + turn.place;
      copy_codes(weights, layout, row, first, lane, to, full);
      __syncwarp();
      copy_scales(weights, row, first * kSplit * kClasses, lane, to + layout.scales, full);
      turn.advance();
    }
  }
}

// What lies in a stage of step `at` of it; the stage begins with step `first`.
__device__ __forceinline__ void read_step(const Weights& weights, const Layout& layout, const Place& place, int first,
                                          int at, const char* stage, Step& to) {
  const char* const codes = stage + (at * kSplit + place.part) * 64 + place.t * 16;
#pragma unroll
  for (int r = 0; r < kTiles; ++r) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = Walk::below(weights, r, half) + place.row;
      to.codes[r][half] = *reinterpret_cast<const Vector<16>*>(codes + row * layout.row_bytes);
#pragma unroll
      for (int e = 0; e < kScales; ++e) {
        const int group = group_of(weights, place, first + at, e) - first * kSplit * kClasses;
        to.facts[r][half][e].scale = reinterpret_cast<const Scale*>(stage + layout.scales)[group * kTileRows + row];
      }
    }
  }
}

// What the warps that multiply do: `store` as in gemv_nibbles_registers.cuh.
template <class Store>
__device__ __forceinline__ void multiply_stages(const Weights& weights, const Layout& layout, const half_t* x,
                                                char* held, Shared& shared, const char* ring, const Store& store) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const int steps = count_steps(weights);
  const Place place(lane);
  wait_for_predecessor();
  const Source source(place, x, weights.columns, held, 0, 0);
  stage(x, weights.columns, source.vectors, held);
  arrive(&shared.staged);
  wait_for_phase(&shared.staged, 0);
  Share share = {};
  Turn<kStages> turn;
  Turn<kParts> parts;
  int adder = 0;  // the warp that adds these rows up
#pragma unroll 1
  for (int round = 0; has_rows(weights.rows, round); ++round) {
    const int row = block_row(weights.rows, round);
    Sums sums = {};
#pragma unroll 1
    for (int first = 0; first < steps; first += kStageSteps) {
      const char* const from = ring + turn.place * layout.size;
      const auto multiply = [&](int at) {
        Step step;
        read_step(weights, layout, place, first, at, from, step);
        Source here = source;
        here.advance(first + at);
        multiply_passes<true, 0>(weights, step, place, row + place.row, first + at, here, share, sums);
      };
      wait_for_phase(shared.full + turn.place, turn.parity);
      const int count = min(kStageSteps, steps - first);
      int at = warp;
      if (!kWhole && count == kStageSteps) {
        repeat<kSteps>([&](auto u) { multiply(u.value * kWarps + warp); });
        at = count;
      }
#pragma unroll 1
      for (; kWhole && kSteps > 1 && at + (kSteps - 1) * kWarps < count; at += kSteps * kWarps)
        repeat<kSteps>([&](auto u) { multiply(at + u.value * kWarps); });
#pragma unroll 1
      for (; at < count; at += kWarps) multiply(at);
      arrive(shared.empty + turn.place);
      turn.advance();
    }
    Partial& partial = shared.part[parts.place];
    partial.put(place, sums, kUnit);
    arrive(shared.added + parts.place);
    if (warp == adder) {
      wait_for_phase(shared.added + parts.place, parts.parity);
#pragma unroll 1
      for (int i = lane; i < kBatch * kTileRows; i += 32) store(partial, i / kTileRows, i % kTileRows, row);
    }
    adder = adder + 1 < kWarps ? adder + 1 : 0;
    parts.advance();
  }
}

template <class Store>
__device__ __forceinline__ void multiply_rows(const Weights& weights, const half_t* x, char* held, const Store& store) {
  __shared__ Shared shared;
  if (threadIdx.x == block_size) {
    for (int i = 0; i < kStages; ++i) {
      make_barrier(shared.full + i, 1 + 32);
      make_barrier(shared.empty + i, block_size);
    }
    make_barrier(&shared.staged, block_size);
    for (int i = 0; i < kParts; ++i) make_barrier(shared.added + i, block_size);
    publish_barriers();
  }
  __syncthreads();
  const Layout layout(weights);
  char* const ring = held + all_staged_bytes(weights.columns);
  if (threadIdx.x < block_size)
    multiply_stages(weights, layout, x, held, shared, ring, store);
  else
    fill_ring(weights, layout, shared, ring);
}
