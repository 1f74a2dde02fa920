// steps * a b for each warpgroup, a block a group, a column a thread.
extern "C" __global__ void probe_wgmma_reference(const double* a, const double* b, double* y, int groups, int steps) {
  for (int row = 0; row < 64; ++row) {
    double sum = 0;
    for (int k = 0; k < 64; ++k) sum += a[row * 64 + k] * b[threadIdx.x * 64 + k];
    y[(blockIdx.x * 64LL + row) * 256 + threadIdx.x] = sum * steps;
  }
}
