extern "C" __global__ void scale_reference(const double* x, double* y, long long N, double alpha) {
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < N; i += step) y[i] = alpha * x[i];
}
