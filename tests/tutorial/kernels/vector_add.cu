__global__ void vector_add(float *c, const float *a, const float *b, int n) {
  for (int k = 0; k < tile; ++k) {
    const int i = (blockIdx.x * tile + k) * block_size_x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
  }
}
