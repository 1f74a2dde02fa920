extern "C" __global__ void branch_reference(const double* x, double* y, long long N, double a, double up, double down,
                                            int rounds) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += step) {
    double value = x[i];
    for (int round = 0; round < rounds; ++round) value = i % 2 == 0 ? value + a : value * up * down;
    y[i] = value;
  }
}
