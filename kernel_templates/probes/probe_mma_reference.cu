// steps * a b for each warp.
extern "C" __global__ void probe_mma_reference(const double* a, const double* b, double* y, int steps) {
  const int row = threadIdx.x / 8, column = threadIdx.x % 8;
  double sum = 0;
  for (int k = 0; k < 16; ++k) sum += a[row * 16 + k] * b[column * 16 + k];
  y[blockIdx.x * 128LL + threadIdx.x] = sum * steps;
}
