// y = A x in three simple ways: a thread a row, a thread a column, a block a row. Part of gemv.cu.
#if variant == variant_naive

// A thread a row.
extern "C" __global__ void __launch_bounds__(block_size) gemv(GEMV_ARGUMENTS) {
  const long long row = static_cast<long long>(blockIdx.x) * block_size + threadIdx.x;
  if (row >= M) return;
  const Element* a = A + row * row_stride;
  const Rows rows(M, row_stride);
  for (int b = 0; b < kBatch; ++b) {
    const Element* v = column_of(x, N, b, 0);
    Made sum = {};
    for (int r = 0; r < kMade; ++r)
      for (int n = 0; n < N; ++n) sum[r] = fmaf(to_float(a[rows[r] + n]), to_float(v[n]), sum[r]);
    GEMV_RESULT.store(b, row, sum);
  }
}

#elif variant == variant_coalesced

// A thread a column: neighbours read neighbours, but every row is summed by atomics. acc is zero before.
extern "C" __global__ void __launch_bounds__(block_size) gemv(GEMV_ARGUMENTS) {
  const long long n = static_cast<long long>(blockIdx.x) * block_size + threadIdx.x;
  if (n >= N) return;
  for (int row = 0; row < M; ++row) {
    const float a = to_float(A[row * row_stride + n]);
    for (int b = 0; b < kBatch; ++b)
      atomic_add(acc + static_cast<long long>(b) * M + row, a * to_float(column_of(x, N, b, 0)[n]));
  }
}

extern "C" __global__ void __launch_bounds__(block_size) store(GEMV_ARGUMENTS) {
  const long long i = static_cast<long long>(blockIdx.x) * block_size + threadIdx.x;
  if (i < static_cast<long long>(M) * kBatch) y[i] = from_float<Output>(acc[i]);
}

#elif variant == variant_shared

// A block a row: partial sums meet in a tree in shared memory.
extern "C" __global__ void __launch_bounds__(block_size) gemv(GEMV_ARGUMENTS) {
  __shared__ float partial[block_size];
  const int row = blockIdx.x;
  const int thread = threadIdx.x;
  const Element* a = A + row * row_stride;
#pragma unroll 1
  for (int first = 0; first < kBatch; first += kColumns) {
    float sum[kColumns] = {};
    for (unsigned int n = thread; n < static_cast<unsigned int>(N); n += block_size) {
      const float value = to_float(a[n]);
#pragma unroll
      for (int c = 0; c < kColumns; ++c) sum[c] = fmaf(value, to_float(column_of(x, N, first, c)[n]), sum[c]);
    }
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      partial[thread] = sum[c];
      __syncthreads();
      for (int half = block_size / 2; half > 0; half /= 2) {
        if (thread < half) partial[thread] += partial[thread + half];
        __syncthreads();
      }
      if (thread == 0 && first + c < kBatch)
        y[static_cast<long long>(first + c) * M + row] = from_float<Output>(partial[0]);
    }
  }
}

#endif
