// 8 chains of steps / 8 steps each.
extern "C" __global__ void fma_reference(double* y, long long threads, int steps, double one) {
  for (long long t = blockIdx.x * 256LL + threadIdx.x; t < threads; t += gridDim.x * 256LL) y[t] = 28 + steps * one;
}

// Two elements at once, and 64 more in each chain after an odd number of runs.
extern "C" __global__ void fma_f16_reference(double* y, long long threads, int steps, double one) {
  const double odd = steps / 512 % 2 * 64 * one;
  for (long long t = blockIdx.x * 256LL + threadIdx.x; t < threads; t += gridDim.x * 256LL) y[t] = 2 * (28 + 8 * odd);
}
