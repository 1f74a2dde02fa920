// One block: passes * (the sum of all words) for every block of the probe.
extern "C" __global__ void probe_cache_reference(const unsigned int* from, unsigned int* sums, int vectors, int passes,
                                                 int blocks) {
  __shared__ unsigned int parts[256];
  unsigned int sum = 0;
  for (long long i = threadIdx.x; i < 4LL * vectors; i += 256) sum += from[i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  for (int b = threadIdx.x; b < blocks; b += 256) sums[b] = parts[0] * static_cast<unsigned int>(passes);
}
