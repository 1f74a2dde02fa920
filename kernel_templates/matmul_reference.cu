// c = a b in double, through tiles of 16 x 16.
extern "C" __global__ void matmul_reference(const double* a, const double* b, double* c, int M, int N, int K) {
  __shared__ double tile_a[16][16], tile_b[16][16];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x;
  for (int first = blockIdx.y * 16; first < M; first += gridDim.y * 16) {
    const int row = first + y;
    double sum = 0;
    for (int k0 = 0; k0 < K; k0 += 16) {
      tile_a[y][x] = row < M && k0 + x < K ? a[(long long)row * K + k0 + x] : 0;
      tile_b[y][x] = k0 + y < K && column < N ? b[(long long)(k0 + y) * N + column] : 0;
      __syncthreads();
      for (int k = 0; k < 16; ++k) sum += tile_a[y][k] * tile_b[k][x];
      __syncthreads();
    }
    if (row < M && column < N) c[(long long)row * N + column] = sum;
  }
}
