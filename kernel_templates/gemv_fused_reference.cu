// y = A x + beside, and y = silu(gate) up, in double; a block a row.
__device__ double dot_of_block(const double* a, const double* x, int N) {
  __shared__ double partial[128];
  double sum = 0;
  for (int n = threadIdx.x; n < N; n += 128) sum += a[n] * x[n];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  sum = partial[0];
  __syncthreads();
  return sum;
}

// `every`: a value for every one of y, else for every row.
extern "C" __global__ void gemv_add_reference(const double* A, const double* x, double* y, int M, int N,
                                              long long row_stride, const double* beside, int batch, int every) {
  for (long long row = blockIdx.x; row < M; row += gridDim.x)
    for (int b = 0; b < batch; ++b) {
      const double sum = dot_of_block(A + row * row_stride, x + (long long)b * N, N);
      const long long at = (long long)b * M + row;
      if (threadIdx.x == 0) y[at] = sum + beside[every ? at : row];
    }
}

extern "C" __global__ void gemv_swiglu_reference(const double* A, const double* x, double* y, int M, int N,
                                                 long long row_stride, int batch) {
  for (long long row = blockIdx.x; row < M; row += gridDim.x)
    for (int b = 0; b < batch; ++b) {
      const double* column = x + (long long)b * N;
      const double gate = dot_of_block(A + row * row_stride, column, N);
      const double up = dot_of_block(A + (M + row) * row_stride, column, N);
      if (threadIdx.x == 0) y[(long long)b * M + row] = gate / (1 + exp(-gate)) * up;
    }
}
