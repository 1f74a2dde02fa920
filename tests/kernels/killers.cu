// y = A x, a block a row, with one thing in it that a tuner has to survive, chosen by `killer`.
#include "tuner_intrinsics.cuh"

using Element = DTYPE;

constexpr int kBytes = vector_width * static_cast<int>(sizeof(Element));
constexpr CacheHint kHint = cache_hint == cache_hint_streaming ? CacheHint::streaming : CacheHint::none;

#if killer == killer_compile_error
#error "this configuration does not compile"
#endif

#if killer == killer_endless_compile
// Twice as many instantiations a level.
template <int level, unsigned int path>
struct Tree {
  static constexpr unsigned int value = Tree<level - 1, 2 * path>::value ^ Tree<level - 1, 2 * path + 1>::value;
};
template <unsigned int path>
struct Tree<0, path> {
  static constexpr unsigned int value = path * 2654435761u;
};
constexpr float kFromTree = Tree<28, 1>::value & 1u;
#endif

__device__ __forceinline__ float product(const Element* a, const Element* x, int n) {
  return to_float(a[n]) * to_float(x[n]);
}

// The share of this thread in the dot product of a row.
__device__ __forceinline__ float part_of_row(const Element* a, const Element* x, int N) {
  const bool aligned = (address_of(a) | address_of(x)) % kBytes == 0;
  const int vectors = aligned ? N / vector_width : 0;
  const char* from_a = reinterpret_cast<const char*>(a);
  const char* from_x = reinterpret_cast<const char*>(x);
  float sum = 0;
  for (int v = threadIdx.x; v < vectors; v += block_size * unroll) {
    Vector<kBytes> loaded[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u)
      loaded[u] = load_vector_if<kHint, kBytes>(v + u * block_size < vectors,
                                                from_a + static_cast<long long>(v + u * block_size) * kBytes);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (v + u * block_size >= vectors) continue;
      sum = dot<Element>(loaded[u],
                         load_vector<CacheHint::read_only, kBytes>(
                             from_x + static_cast<long long>(v + u * block_size) * kBytes),
                         sum);
    }
  }
  for (int n = vectors * vector_width + static_cast<int>(threadIdx.x); n < N; n += block_size) {
#if killer == killer_wrong_tail
    if (n == N - 1) continue;
#endif
    sum += product(a, x, n);
  }
#if killer == killer_wrong_tail
  if (N % vector_width == 0 && threadIdx.x == 0) sum -= product(a, x, N - 1);
#elif killer == killer_read_past_end
  if (threadIdx.x == 0) sum += to_float(x[N]);
#endif
  return sum;
}

// The sum over the block, in thread 0.
__device__ __forceinline__ float block_sum(float sum) {
  constexpr int kWarps = block_size / 32;
  __shared__ float partial[kWarps];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
#if killer != killer_race
  __syncthreads();
#endif
  float total = 0;
  if (threadIdx.x == 0)
    for (int i = 0; i < kWarps; ++i) total += partial[i];
  return total;
}

#if killer == killer_too_many_registers
// More values alive at once than a thread of so large a block can have registers.
__device__ __forceinline__ float many(const Element* x, int N) {
  float value[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) value[i] = to_float(x[(i * 7 + threadIdx.x) % N]);
  for (int round = 0; round < N; ++round) {
#pragma unroll
    for (int i = 0; i < 96; ++i) value[i] = value[i] * value[(i + 1) % 96] + static_cast<float>(round);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 96; ++i) sum += value[i];
  return sum;
}
#endif

extern "C" __global__ void gemv(const Element* A, Element* x, FACT_y* y, int M, int N, long long row_stride) {
  const int row = blockIdx.x;
  float part = part_of_row(A + row * row_stride, x, N);
#if killer == killer_endless_loop
  // A volatile load of global memory is a side effect: a loop without one may be removed.
  const volatile unsigned short* never = reinterpret_cast<const volatile unsigned short*>(A);
  while (row == 0 && *never != 0x7e01) {
  }
#elif killer == killer_trap
#ifdef TUNER_HOST
  if (row == 0 && threadIdx.x == 0) *reinterpret_cast<volatile int*>(16) = 1;
#else
  if (row == 0 && threadIdx.x == 0) asm volatile("trap;");
#endif
#elif killer == killer_endless_compile
  part += kFromTree;
#elif killer == killer_too_many_registers
  if (N < 0) part += many(x, N);
  part += many(x, N) * 0;
#endif
  const float sum = block_sum(part);
  if (threadIdx.x != 0) return;
#if killer == killer_unwritten
  if (row == M - 1) return;
#elif killer == killer_write_past_end
  if (row == M - 1) y[M] = from_float<FACT_y>(1.0f);
#elif killer == killer_change_input
  if (row == M - 1) x[0] = from_float<Element>(0.375f);
#elif killer == killer_nan
  if (row == M / 2) {
    y[row] = from_float<FACT_y>(bits_to_float(0x7fc00000u));
    return;
  }
#endif
  y[row] = from_float<FACT_y>(sum);
}
