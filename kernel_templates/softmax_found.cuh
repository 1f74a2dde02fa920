// Of elements of a row: the largest one and the sum of exp(element - largest), in threads, warps and blocks. Part of
// softmax.cu.
#define WARPS (block_size / 32)

typedef DTYPE X;
typedef FACT_y Y;

constexpr float kLog2E = 1.442695041f;
constexpr int kPer = kElementsOf16Bytes<X>;
// Two -inf of 16 bits or one of 32: what changes neither maximum nor sum.
constexpr unsigned int kNothing = kSameType<X, half_t> ? 0xfc00fc00u : kSameType<X, bf16_t> ? 0xff80ff80u : 0xff800000u;

// Of the elements of a vector, how many have their exponential from the units that multiply and add.
#ifdef polynomial
constexpr int kPolynomials = polynomial;
#else
constexpr int kPolynomials = 0;
#endif

__device__ __forceinline__ float infinity() { return bits_to_float(0x7f800000u); }

// --- powers of two -----------------------------------------------------------------------------------------------

__device__ __forceinline__ float exp2_of(float value) {
#ifdef TUNER_HOST
  return exp2f(value);
#else
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
  return result;
#endif
}

// The larger one; NaN where one is.
__device__ __forceinline__ float max_or_nan(float value, float than) {
#if !defined(TUNER_HOST) && __CUDA_ARCH__ >= 800
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(value), "f"(than));
  return result;
#else
  return value < than ? than : value;
#endif
}

// 2^value of what is not above 1, within 3e-6 of itself; below 2^-126 it is about 2^-126. The units that multiply and
// add have room where those for exponentials have none. The polynomial is the minimax one of 2^x for |x| <= 1/2.
__device__ __forceinline__ float exp2_by_polynomial(float value) {
  constexpr float kRounds = 12582912.0f;  // 1.5 * 2^23: what is added to it is rounded to an integer, in its last bits
  value = max_or_nan(value, -126.0f);
  const float rounded = value + kRounds;
  const float x = value - (rounded - kRounds);
  float power = fmaf(9.5828529e-3f, x, 5.5906426e-2f);
  power = fmaf(power, x, 0.24024099f);
  power = fmaf(power, x, 0.69312418f);
  power = fmaf(power, x, 1.0f);
  return power * bits_to_float((float_to_bits(rounded) << 23) + 0x3f800000u);
}

// --- maximum and sum ---------------------------------------------------------------------------------------------

// Of some elements: the largest one and the sum of exp(element - largest). An f16 is small enough to be scaled to
// powers of two in one step, and `largest` then is as well: what its rounding changes is the same in all terms of a
// row, and goes when they are divided. The others are scaled after the subtraction, which does not overflow then.
constexpr bool kScaled = kSameType<X, half_t>;

struct Found {
  float largest, sum;
};

__device__ __forceinline__ Found nothing() { return {-infinity(), 0.0f}; }

__device__ __forceinline__ float scaled(float largest) { return kScaled ? largest * kLog2E : largest; }

__device__ __forceinline__ float exponent(float x, float largest) {
  return kScaled ? fmaf(x, kLog2E, -largest) : (x - largest) * kLog2E;
}

// exp(x - largest).
__device__ __forceinline__ float term(float x, float largest) { return exp2_of(exponent(x, largest)); }

// The same of all elements of a vector.
__device__ __forceinline__ void to_terms(float (&x)[kPer], float largest) {
#pragma unroll
  for (int i = 0; i < kPer; ++i) {
    const float power = exponent(x[i], largest);
    x[i] = i < kPolynomials ? exp2_by_polynomial(power) : exp2_of(power);
  }
}

// Of sums that belong to `from`, for those that belong to `to`.
__device__ __forceinline__ float factor(float from, float to) {
  return exp2_of(kScaled ? from - to : (from - to) * kLog2E);
}

// What may be subtracted from -inf: some threads see nothing else of a row that has more.
__device__ __forceinline__ float subtrahend(float largest) { return largest == -infinity() ? 0.0f : largest; }

__device__ __forceinline__ Found merged(const Found& a, const Found& b) {
  Found both;
  both.largest = fmaxf(a.largest, b.largest);
  const float to = subtrahend(both.largest);
  both.sum = a.sum * factor(a.largest, to) + b.sum * factor(b.largest, to);
  return both;
}

// --- across threads ----------------------------------------------------------------------------------------------

// The largest value of the lanes whose numbers differ in the bits below `lanes`, in every one of them.
template <int lanes>
__device__ __forceinline__ float largest_of_lanes(float largest) {
#if !defined(TUNER_HOST) && __CUDA_ARCH__ >= 800
  if constexpr (lanes == 32) {
    // As integers of the same order.
    int bits = static_cast<int>(float_to_bits(largest));
    bits ^= static_cast<int>(static_cast<unsigned int>(bits >> 31) >> 1);
    asm("redux.sync.max.s32 %0, %1, 0xffffffff;" : "=r"(bits) : "r"(bits));
    bits ^= static_cast<int>(static_cast<unsigned int>(bits >> 31) >> 1);
    return bits_to_float(static_cast<unsigned int>(bits));
  }
#endif
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
  return largest;
}

// The same of maximum and sum.
template <int lanes>
__device__ __forceinline__ Found of_lanes(const Found& found) {
  Found all;
  all.largest = largest_of_lanes<lanes>(found.largest);
  all.sum = found.sum * factor(found.largest, subtrahend(all.largest));
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    all.sum += __shfl_xor_sync(0xffffffffu, all.sum, distance);
  return all;
}

// Of all threads of the block, in every thread. `of_warps` is in shared memory, for this call.
__device__ __forceinline__ Found of_block(Found found, Found (&of_warps)[WARPS]) {
  found = of_lanes<32>(found);
  if constexpr (WARPS > 1) {
    const int lane = threadIdx.x % 32;
    if (lane == 0) of_warps[threadIdx.x / 32] = found;
    __syncthreads();
    found = of_lanes<WARPS>(of_warps[lane % WARPS]);
  }
  return found;
}

// The same, once a launch.
__device__ __forceinline__ Found of_block(const Found& found) {
  __shared__ Found of_warps[WARPS];
  return of_block(found, of_warps);
}

// Of what the warps of all blocks of a cluster have told.
template <int warps>
__device__ __forceinline__ Found of_cluster(const Found (&of_warps)[warps]) {
  const int lane = threadIdx.x % 32;
  Found found = of_warps[lane % warps];
#pragma unroll
  for (int i = 32; i < warps; i += 32) found = merged(found, of_warps[i + lane]);
  return of_lanes<(warps < 32 ? warps : 32)>(found);
}

// --- of a thread's vectors ---------------------------------------------------------------------------------------

__device__ __forceinline__ Found of_edge(float value) {
  const float largest = scaled(value);
  return {largest, term(value, subtrahend(largest))};
}

__device__ __forceinline__ void unpacked(const Vector<16>& v, float (&x)[kPer]) { unpack<X>(v.word, x); }

__device__ __forceinline__ float largest_of(const float (&x)[kPer]) {
  float largest = x[0];
#pragma unroll
  for (int i = 1; i < kPer; ++i) largest = fmaxf(largest, x[i]);
  return largest;
}

// The largest element of a number of vectors, the first of which is there.
class Largest {
 public:
  __device__ __forceinline__ explicit Largest(const Vector<16>& first) {
    if constexpr (kPairs) {
      packed_ = larger(larger(first.word[0], first.word[1]), larger(first.word[2], first.word[3]));
    } else {
      float x[kPer];
      unpacked(first, x);
      value_ = largest_of(x);
    }
  }
  __device__ __forceinline__ void add(const Vector<16>& v) {
    const Largest other(v);
    if constexpr (kPairs)
      packed_ = larger(packed_, other.packed_);
    else
      value_ = fmaxf(value_, other.value_);
  }
  __device__ __forceinline__ float get() const {
    if constexpr (!kPairs) return value_;
    float x[2];
    unpack<X>(&packed_, x);
    return fmaxf(x[0], x[1]);
  }

 private:
#if !defined(TUNER_HOST) && __CUDA_ARCH__ >= 800
  static constexpr bool kPairs = sizeof(X) == 2;
#else
  static constexpr bool kPairs = false;
#endif
  // The larger ones of two pairs of 16 bits each; of a number and NaN the number.
  __device__ static __forceinline__ unsigned int larger(unsigned int a, unsigned int b) {
    unsigned int result = 0;
#if !defined(TUNER_HOST) && __CUDA_ARCH__ >= 800
    if constexpr (kSameType<X, half_t>)
      asm("max.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
    else
      asm("max.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
#endif
    return result;
  }

  unsigned int packed_ = 0;
  float value_ = 0;
};

__device__ __forceinline__ float sum_of(const float (&terms)[kPer]) {
  float sums[kPer];
#pragma unroll
  for (int i = 0; i < kPer; ++i) sums[i] = terms[i];
#pragma unroll
  for (int half = kPer / 2; half > 0; half /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
  return sums[0];
}

// What was found before, and the elements of one more vector.
__device__ __forceinline__ Found with_vector(const Found& before, const Vector<16>& v) {
  Found now;
  now.largest = fmaxf(before.largest, scaled(Largest(v).get()));
  const float to = subtrahend(now.largest);
  float x[kPer];
  unpacked(v, x);
  to_terms(x, to);
  now.sum = fmaf(before.sum, factor(before.largest, to), sum_of(x));
  return now;
}
