// y = A x with one fault of the dependent regime, chosen by `fault`: what verification must reject there, and need not
// elsewhere. A block a row; what its warps have meets in scratch.
#include "tuner_intrinsics.cuh"

using Element = DTYPE;
using Output = FACT_y;

extern "C" __global__ void __launch_bounds__(block_size) gemv(const Element* A, const Element* x, Output* y,
                                                              float* sums, int M, int N, long long row_stride) {
  const Element* a = A + blockIdx.x * row_stride;
  const int thread = static_cast<int>(threadIdx.x);
  float* own = sums + static_cast<long long>(blockIdx.x) * 32;
  let_successor_start();
  const float first_weight = thread < N ? to_float(a[thread]) : 0;  // may be on its way before the wait
#if fault == fault_reads_early
  const float first_x = thread < N ? to_float(x[thread]) : 0;
#elif fault == fault_writes_early
  if (thread == 0) y[blockIdx.x] = from_float<Output>(0);
#elif fault == fault_scratch_early
  if (thread < 32) own[thread] = 0;
#endif
#if fault == fault_one_thread_waits
  if (thread == 0) wait_for_predecessor();
#elif fault != fault_never_waits
  wait_for_predecessor();
#endif
#if fault != fault_reads_early
  const float first_x = thread < N ? to_float(x[thread]) : 0;
#endif
  float sum = first_weight * first_x;
  for (int n = thread + block_size; n < N; n += block_size) sum += to_float(a[n]) * to_float(x[n]);
  sum = warp_sum(sum);
#if fault == fault_scratch_early
  __syncthreads();
  if (thread % 32 == 0) own[thread / 32] += sum;
#else
  if (thread % 32 == 0) own[thread / 32] = sum;
#endif
  __syncthreads();
  if (thread != 0) return;
  float total = 0;
  for (int i = 0; i < block_size / 32; ++i) total += own[i];
#if fault == fault_writes_early
  total += to_float(y[blockIdx.x]);
#endif
  y[blockIdx.x] = from_float<Output>(total);
}
