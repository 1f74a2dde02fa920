// y = A x, a thread a row.
#if kind == kind_deadly
extern "C" void abort();
#endif

extern "C" __global__ void __launch_bounds__(block_size)
    faulty(const float* A, const float* x, float* y, int M, int N) {
  const int row = blockIdx.x * block_size + threadIdx.x;
  if (row >= M) return;
#if kind == kind_deadly
  abort();
#endif
  float sum = 0;
  for (int n = 0; n < N; ++n) sum += A[row * N + n] * x[n];
#if kind == kind_wrong
  sum -= A[row * N] * x[0];
#endif
  y[row] = sum;
}
