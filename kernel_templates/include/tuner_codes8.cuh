// Weights of eight bits, decoded in registers: four codes of a word to four halves. `scale` is what the halves must be
// multiplied by to be the weights; decoding itself is exact.
// https://docs.nvidia.com/cuda/parallel-thread-execution: prmt, sub.f16x2, cvt.rn.f16x2.e4m3x2
#pragma once

#include "tuner_intrinsics.cuh"

#ifdef TUNER_HOST

// Byte i of the result is that of eight bytes, a's before b's, which digit i of `selector` names.
__device__ __forceinline__ unsigned int permute_bytes(unsigned int a, unsigned int b, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<unsigned int>(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return result;
}

// a - b of both halves of a word.
__device__ __forceinline__ unsigned int subtract_halves(unsigned int a, unsigned int b) {
  const auto one = [](unsigned int p, unsigned int q) {
    return static_cast<unsigned int>(
        tuner_simt::float_to_half(tuner_simt::half_to_float(p & 0xffff) - tuner_simt::half_to_float(q & 0xffff)));
  };
  return one(a, b) | one(a >> 16, b >> 16) << 16;
}

#else

__device__ __forceinline__ unsigned int permute_bytes(unsigned int a, unsigned int b, unsigned int selector) {
  return __byte_perm(a, b, selector);
}

__device__ __forceinline__ unsigned int subtract_halves(unsigned int a, unsigned int b) {
  unsigned int result;
  asm("sub.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  return result;
}

#endif

// Signed integers. A byte u = code + 128 under the byte 0x64 is the half 1024 + u: no conversion is needed.
struct SignedCodes {
  static constexpr float scale = 1;

  __device__ static __forceinline__ void to_halves(unsigned int word, unsigned int (&halves)[2]) {
    const unsigned int biased = word ^ 0x80808080u;
    halves[0] = subtract_halves(permute_bytes(biased, 0x64646464u, 0x4140), 0x64806480u);
    halves[1] = subtract_halves(permute_bytes(biased, 0x64646464u, 0x4342), 0x64806480u);
  }
};

// E4M3. The bits of a code, one to the right in the upper byte of a half, are its value over 256, subnormals included:
// the exponents' biases are 7 and 15. Its NaNs (0x7f, 0xff) become 480.
struct E4M3ByBits {
  static constexpr float scale = 256;

  __device__ static __forceinline__ unsigned int pair_of(unsigned int upper_bytes) {
    return (upper_bytes >> 1 & 0x3f803f80u) | (upper_bytes & 0x80008000u);
  }
  __device__ static __forceinline__ void to_halves(unsigned int word, unsigned int (&halves)[2]) {
    halves[0] = pair_of(permute_bytes(word, 0, 0x1404));
    halves[1] = pair_of(permute_bytes(word, 0, 0x3424));
  }
};

// E4M3 by the instruction of sm_89 and newer.
struct E4M3ByConversion {
#ifdef TUNER_HOST
  static constexpr float scale = 256;
  __device__ static __forceinline__ void to_halves(unsigned int word, unsigned int (&halves)[2]) {
    E4M3ByBits::to_halves(word, halves);
  }
#else
  static constexpr float scale = 1;
  __device__ static __forceinline__ void to_halves(unsigned int word, unsigned int (&halves)[2]) {
    asm("{.reg .b16 l, h; mov.b32 {l, h}, %2; cvt.rn.f16x2.e4m3x2 %0, l; cvt.rn.f16x2.e4m3x2 %1, h;}"
        : "=r"(halves[0]), "=r"(halves[1])
        : "r"(word));
  }
#endif
};
