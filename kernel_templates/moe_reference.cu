// Chosen experts in double, and by magnitude: of a sum, the sum of its terms by magnitude, code and zero apart; of
// silu(gate) * up, what an error of either sum by that magnitude makes of it. A block a row.

// What belongs to one kernel: all weights, row-major in [experts][parts * M], and how one of them reads.
struct Experts {
  const unsigned char* w;
  const double *scale, *f16;
  const unsigned char* e8m0;
  int M, K, parts, group;

  __device__ unsigned int nibble(long long row, long long k) const {
    const long long at = row * (((long long)K + 31) / 32 * 16) + k / 8 * 4;
    const unsigned int word = w[at] | w[at + 1] << 8 | w[at + 2] << 16 | (unsigned int)w[at + 3] << 24;
    const int within = (int)(k % 8), nibble = within / 2 + within % 2 * 4;
    return word >> nibble * 4 & 15;
  }
  // Of row `row` of expert `expert`.
  __device__ double weight(long long expert, long long row, long long k, bool magnitude) const {
    const long long rows = (long long)parts * M;
    double value;
    if (f16 != nullptr) {
      value = f16[(expert * rows + row) * K + k];
    } else if (scale != nullptr) {
      const long long groups = group == 0 ? 1 : ((long long)K + group - 1) / group, g = group == 0 ? 0 : k / group;
      const double code = nibble(expert * rows + row, k), s = scale[(expert * groups + g) * rows + row];
      value = magnitude ? (s < 0 ? -s : s) * (code + 8) : s * (code - 8);
    } else {
      const double values[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
      const unsigned int code = nibble(expert * rows + row, k);
      value = code > 7 ? -values[code & 7] : values[code];
      int exponent = e8m0[(expert * (((long long)K + 31) / 32) + k / 32) * rows + row] - 127;
      for (; exponent > 0; --exponent) value *= 2;
      for (; exponent < 0; ++exponent) value /= 2;
    }
    return magnitude && value < 0 ? -value : value;
  }
};

// Of one row of one expert, in every thread.
__device__ double dot(const Experts& of, long long expert, long long row, const double* x, bool magnitude) {
  __shared__ double partial[128];
  double sum = 0;
  for (long long k = threadIdx.x; k < of.K; k += 128)
    sum += of.weight(expert, row, k, magnitude) * (magnitude && x[k] < 0 ? -x[k] : x[k]);
  __syncthreads();
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  return partial[0];
}

__device__ void choose(const Experts& of, const int* ids, const double* share, const double* x, double* y, int chosen,
                       int sum, bool magnitude) {
  for (long long row = blockIdx.x; row < of.M; row += gridDim.x) {
    double total = 0;
    for (int c = 0; c < chosen; ++c) {
      const double* column = sum ? x + (long long)c * of.K : x;
      double value = dot(of, ids[c], row, column, magnitude);
      if (of.parts == 2) {
        const double gate = dot(of, ids[c], row, column, false), up = dot(of, ids[c], of.M + row, column, false);
        const double silu = gate / (1 + exp(-gate));
        if (magnitude) {
          const double of_up = dot(of, ids[c], of.M + row, column, true);
          // |silu'| <= 1.1; both errors together are of second order.
          value = 1.1 * value * (up < 0 ? -up : up) + (silu < 0 ? -silu : silu) * of_up + 1e-3 * value * of_up;
        } else {
          value = silu * up;
        }
      }
      if (!sum && threadIdx.x == 0) y[(long long)c * of.M + row] = value;
      total += value * (magnitude && share[c] < 0 ? -share[c] : share[c]);
    }
    if (sum && threadIdx.x == 0) y[row] = total;
  }
}

#define MOE_REST \
  const int *ids, const double *share, const double *x, double *y, int M, int K, int chosen, int glu, int sum
extern "C" __global__ void moe_q4_reference(const unsigned char* w, const double* scale, MOE_REST, int group) {
  choose({w, scale, nullptr, nullptr, M, K, 1 + glu, group}, ids, share, x, y, chosen, sum, false);
}
extern "C" __global__ void moe_q4_magnitudes(const unsigned char* w, const double* scale, MOE_REST, int group) {
  choose({w, scale, nullptr, nullptr, M, K, 1 + glu, group}, ids, share, x, y, chosen, sum, true);
}
extern "C" __global__ void moe_mxfp4_reference(const unsigned char* w, const unsigned char* scale, MOE_REST, int) {
  choose({w, nullptr, nullptr, scale, M, K, 1 + glu, 32}, ids, share, x, y, chosen, sum, false);
}
extern "C" __global__ void moe_mxfp4_magnitudes(const unsigned char* w, const unsigned char* scale, MOE_REST, int) {
  choose({w, nullptr, nullptr, scale, M, K, 1 + glu, 32}, ids, share, x, y, chosen, sum, true);
}
extern "C" __global__ void moe_f16_reference(const double* w, MOE_REST) {
  choose({nullptr, nullptr, w, nullptr, M, K, 1 + glu, 0}, ids, share, x, y, chosen, sum, false);
}
extern "C" __global__ void moe_f16_magnitudes(const double* w, MOE_REST) {
  choose({nullptr, nullptr, w, nullptr, M, K, 1 + glu, 0}, ids, share, x, y, chosen, sum, true);
}
