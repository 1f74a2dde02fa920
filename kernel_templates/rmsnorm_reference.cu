// Root mean square norm of rows, a row a block.
extern "C" __global__ void rmsnorm_reference(const double* x, const double* r, const double* w, double* h, double* y,
                                             int C, long long row_stride, double eps, int adds) {
  __shared__ double values[256];
  const int thread = threadIdx.x;
  const long long dense = blockIdx.x * static_cast<long long>(C);
  x += blockIdx.x * row_stride;
  double sum = 0;
  for (int i = thread; i < C; i += 256) {
    const double value = adds ? x[i] + r[dense + i] : x[i];
    sum += value * value;
  }
  values[thread] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) values[thread] += values[thread + half];
  }
  __syncthreads();
  const double scale = 1 / sqrt(values[0] / C + eps);
  for (int i = thread; i < C; i += 256) {
    const double value = adds ? x[i] + r[dense + i] : x[i];
    if (adds) h[dense + i] = value;
    y[dense + i] = value * scale * w[i];
  }
}
