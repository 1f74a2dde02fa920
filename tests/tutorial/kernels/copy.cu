template <typename T, int block_threads>
__global__ void copy(const T *in, T *out, unsigned long long n) {
  const unsigned long long i = blockIdx.x * static_cast<unsigned long long>(block_threads) + threadIdx.x;
  if (i < n) out[i] = in[i];
}
