// y = W x of weights of eight bits in double, a thread a row; W = codes * scales, as in gemv8.cu. The scales are one a
// row where `group` is 0, else one a `group` codes and `rows` rows.
template <class Code>
__device__ void gemv8(const Code* codes, const double* scales, const double* x, double* y, int M, int K, int batch,
                      int group, int rows, bool absolute) {
  const long long pitch = (K - 1) / 16 * 16LL + 16;
  const int step = (M - 1) / rows + 1;
  for (long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x; row < M; row += (long long)gridDim.x * blockDim.x)
    for (int b = 0; b < batch; ++b) {
      double sum = 0;
      for (int k = 0; k < K; ++k) {
        const double scale = scales[group == 0 ? row : (long long)(k / group) * step + row / rows];
        const double term = scale * codes[row * pitch + k] * x[(long long)b * K + k];
        sum += absolute && term < 0 ? -term : term;
      }
      y[(long long)b * M + row] = sum;
    }
}

extern "C" __global__ void q8_reference(const signed char* codes, const double* scales, const double* x, double* y, int M,
                                        int K, int batch, int group) {
  gemv8(codes, scales, x, y, M, K, batch, group, 1, false);
}

extern "C" __global__ void q8_magnitude(const signed char* codes, const double* scales, const double* x, double* y, int M,
                                        int K, int batch, int group) {
  gemv8(codes, scales, x, y, M, K, batch, group, 1, true);
}

extern "C" __global__ void fp8_reference(const double* codes, const double* scales, const double* x, double* y, int M,
                                         int K, int batch, int group) {
  gemv8(codes, scales, x, y, M, K, batch, group, 128, false);
}

extern "C" __global__ void fp8_magnitude(const double* codes, const double* scales, const double* x, double* y, int M,
                                         int K, int batch, int group) {
  gemv8(codes, scales, x, y, M, K, batch, group, 128, true);
}
