// y = A x with one fault, chosen by `fault`: what verification must reject. A block a row; `vec` takes eight elements
// at a time and adds by warps, `shared` one at a time and adds in a tree.
#include "tuner_intrinsics.cuh"

using Element = DTYPE;

constexpr int kVector = 8;

__device__ __forceinline__ float product(const Element* a, const Element* x, int n) {
  return to_float(a[n]) * to_float(x[n]);
}

// Whether element n counts, and how often.
__device__ __forceinline__ float times(int n, int N) {
#if fault == fault_drop_last_element
  if (n == N - 1) return 0;
#elif fault == fault_drop_last_vector
  if (n >= (N / kVector - 1) * kVector && n < N / kVector * kVector) return 0;
#elif fault == fault_count_twice
  if (n == N / 2) return 2;
#endif
  return 1;
}

__device__ __forceinline__ float part_of_row(const Element* a, const Element* x, int N) {
  float sum = 0;
#if variant == variant_vec
  const int whole = N / kVector * kVector;
  for (int n = threadIdx.x * kVector; n < whole; n += block_size * kVector)
    for (int i = 0; i < kVector; ++i) sum += times(n + i, N) * product(a, x, n + i);
  for (int n = whole + static_cast<int>(threadIdx.x); n < N; n += block_size) {
#if fault == fault_wrong_tail
    sum += product(a, x, n >= kVector ? n - kVector : n);  // what the last vector held
#else
    sum += times(n, N) * product(a, x, n);
#endif
  }
#else
  for (int n = threadIdx.x; n < N; n += block_size) sum += times(n, N) * product(a, x, n);
#endif
  return sum;
}

// The sum over the block, in thread 0.
__device__ __forceinline__ float block_sum(float sum) {
#if variant == variant_vec
  constexpr int kWarps = block_size / 32;
  __shared__ float partial[kWarps];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
#if fault != fault_missing_barrier
  __syncthreads();
#endif
  float total = 0;
  if (threadIdx.x == 0) {
    for (int i = fault == fault_drop_warp_partial ? 1 : 0; i < kWarps; ++i) total += partial[i];
  }
  return total;
#else
  __shared__ float partial[block_size];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = block_size / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
#if fault != fault_missing_barrier
    __syncthreads();
#endif
  }
  return partial[0];
#endif
}

extern "C" __global__ void __launch_bounds__(block_size)
    gemv(const Element* A, Element* x, FACT_y* y, int M, int N, long long row_stride) {
  const int row = blockIdx.x;
  const float part = part_of_row(A + row * row_stride, x, N);
#if fault == fault_hang
  // A volatile load of global memory is a side effect: a loop without one may be removed.
  const volatile unsigned short* never = reinterpret_cast<const volatile unsigned short*>(A);
  while (row == 0 && *never != 0x7e01) {
  }
#elif fault == fault_illegal_access
  if (row == 0 && threadIdx.x == 0) *reinterpret_cast<volatile int*>(16) = 1;
#elif fault == fault_divergent_barrier
  if (threadIdx.x >= block_size - 32) return;
#endif
  const float sum = block_sum(part);
  if (threadIdx.x != 0) return;
#if fault == fault_unwritten
  if (row == M - 1) return;
#elif fault == fault_write_past_end
  if (row == M - 1) y[M] = from_float<FACT_y>(1.0f);
#elif fault == fault_change_input
  if (row == M - 1) x[0] = from_float<Element>(0.375f);
#elif fault == fault_nan
  if (row == M / 2) {
    y[row] = from_float<FACT_y>(bits_to_float(0x7fc00000u));
    return;
  }
#endif
  y[row] = from_float<FACT_y>(sum);
}
