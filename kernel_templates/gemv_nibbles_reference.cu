// y = W x in double, of four-bit weights as docs/formats.md has them; and the sums of what is added by magnitude, code
// and zero point apart. A block a row.
__device__ unsigned int nibble_of(const unsigned char* w, int K, long long row, long long k) {
  const long long pitch = ((long long)K + 31) / 32 * 16, at = row * pitch + k / 8 * 4;
  const unsigned int word = w[at] | w[at + 1] << 8 | w[at + 2] << 16 | (unsigned int)w[at + 3] << 24;
  const int within = (int)(k % 8), nibble = within / 2 + within % 2 * 4;
  return word >> nibble * 4 & 15;
}

__device__ void add_up(double sum, double* to) {
  __shared__ double partial[128];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) *to = partial[0];
  __syncthreads();
}

__device__ double of(double value, bool magnitude) { return magnitude && value < 0 ? -value : value; }

// zeros: 0: the zero point is 8; 4: it is in `zero`; 16: `offset` is taken away.
__device__ void multiply(const unsigned char* w, const double* scale, const unsigned char* zero, const double* offset,
                         const double* x, double* y, int M, int K, int group, int zeros, int batch, bool magnitude) {
  for (long long row = blockIdx.x; row < M; row += gridDim.x)
    for (int c = 0; c < batch; ++c) {
      double sum = 0;
      for (long long k = threadIdx.x; k < K; k += 128) {
        const long long g = group == 0 ? 0 : k / group;
        const double code = nibble_of(w, K, row, k), s = of(scale[g * M + row], magnitude);
        const double point = zeros == 4   ? zero[g * (((long long)M + 1) / 2) + row / 2] >> row % 2 * 4 & 15
                             : zeros == 0 ? 8
                                          : 0;
        double weight = s * (magnitude ? code + point : code - point);
        if (zeros == 16) weight += magnitude ? of(offset[g * M + row], true) : -offset[g * M + row];
        sum += weight * of(x[(long long)c * K + k], magnitude);
      }
      add_up(sum, y + (long long)c * M + row);
    }
}

#define Q4_ARGUMENTS                                                                                             \
  const unsigned char *w, const double *scale, const unsigned char *zero, const double *offset, const double *x, \
      double *y, int M, int K, int group, int zeros, int batch
extern "C" __global__ void gemv_q4_reference(Q4_ARGUMENTS) {
  multiply(w, scale, zero, offset, x, y, M, K, group, zeros, batch, false);
}
extern "C" __global__ void gemv_q4_magnitudes(Q4_ARGUMENTS) {
  multiply(w, scale, zero, offset, x, y, M, K, group, zeros, batch, true);
}

__device__ void multiply_mxfp4(const unsigned char* w, const unsigned char* scale, const double* x, double* y, int M,
                               int K, int batch, bool magnitude) {
  const double values[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (long long row = blockIdx.x; row < M; row += gridDim.x)
    for (int c = 0; c < batch; ++c) {
      double sum = 0;
      for (long long k = threadIdx.x; k < K; k += 128) {
        const unsigned int code = nibble_of(w, K, row, k);
        double weight = values[code & 7];
        if (code > 7 && !magnitude) weight = -weight;
        int exponent = scale[k / 32 * M + row] - 127;
        for (; exponent > 0; --exponent) weight *= 2;
        for (; exponent < 0; ++exponent) weight /= 2;
        sum += weight * of(x[(long long)c * K + k], magnitude);
      }
      add_up(sum, y + (long long)c * M + row);
    }
}

#define MXFP4_ARGUMENTS \
  const unsigned char *w, const unsigned char *scale, const double *x, double *y, int M, int K, int batch
extern "C" __global__ void gemv_mxfp4_reference(MXFP4_ARGUMENTS) { multiply_mxfp4(w, scale, x, y, M, K, batch, false); }
extern "C" __global__ void gemv_mxfp4_magnitudes(MXFP4_ARGUMENTS) { multiply_mxfp4(w, scale, x, y, M, K, batch, true); }
