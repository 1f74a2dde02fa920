// Softmax of rows, a row a block. Rows that hold +inf, NaN or nothing but -inf are NaN.
extern "C" __global__ void softmax_reference(const double* x, double* y, int C, long long row_stride) {
  __shared__ double values[256];
  const int thread = threadIdx.x;
  x += blockIdx.x * row_stride;
  y += blockIdx.x * static_cast<long long>(C);
  double largest = x[thread < C ? thread : 0], sum = 0;
  for (int i = thread; i < C; i += 256) largest = x[i] > largest ? x[i] : largest;
  values[thread] = largest;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half && values[thread + half] > values[thread]) values[thread] = values[thread + half];
  }
  __syncthreads();
  largest = values[0];
  __syncthreads();
  for (int i = thread; i < C; i += 256) sum += exp(x[i] - largest);
  values[thread] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) values[thread] += values[thread + half];
  }
  __syncthreads();
  sum = values[0];
  for (int i = thread; i < C; i += 256) y[i] = exp(x[i] - largest) / sum;
}
