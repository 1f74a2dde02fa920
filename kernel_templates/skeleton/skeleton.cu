// y = a x + b. The parameters of the manifest, block_size and per_thread, are macros here.
extern "C" __global__ void __launch_bounds__(block_size)
    skeleton(const float *__restrict__ x, const float *__restrict__ b, float *__restrict__ y, float a, int n) {
  const int first = blockIdx.x * block_size * per_thread + threadIdx.x;
#pragma unroll
  for (int i = 0; i < per_thread; ++i) {
    const int at = first + i * block_size;
    if (at < n) y[at] = a * x[at] + b[at];
  }
}
