// A block a row. Blocks beyond the last row sum one of the first again, long after it has left the caches.
extern "C" __global__ void slowed(const float* A, float* y, int M, int N) {
  __shared__ float parts[block_size];
  const int row = blockIdx.x < M ? blockIdx.x : blockIdx.x - M;
  const float* mine = A + static_cast<long long>(row) * N;
  float sum = 0;
  if (N % 4 == 0) {
    for (int i = threadIdx.x; i < N / 4; i += block_size) {
      const float4 four = reinterpret_cast<const float4*>(mine)[i];
      sum += (four.x + four.y) + (four.z + four.w);
    }
  } else {
    for (int i = threadIdx.x; i < N; i += block_size) sum += mine[i];
  }
  parts[threadIdx.x] = sum;
  for (int half = block_size / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[row] = parts[0];
}
