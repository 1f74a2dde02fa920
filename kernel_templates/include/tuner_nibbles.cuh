// Codes of four bits, eight in a 32-bit word, as halves that tensor cores multiply and as floats. Bits 4 i to 4 i + 3
// hold element 0, 2, 4, 6, 1, 3, 5, 7 of eight for i = 0 to 7, so that one shift and one mask give two neighbours.
#pragma once

#include "tuner_intrinsics.cuh"

// a b c d of `word` to 0 a 0 c, from the low end: bytes become the upper bytes of halves.
__device__ __forceinline__ unsigned int bytes_to_upper_halves(unsigned int word) {
#ifdef TUNER_HOST
  return word << 8 & 0xff00ff00u;
#else
  unsigned int result;
  asm("prmt.b32 %0, %1, 0, 0x2404;" : "=r"(result) : "r"(word));
  return result;
#endif
}

// Both halves of a word masked and given other bits: one instruction, of which the compiler makes two.
__device__ __forceinline__ unsigned int mask_and_set(unsigned int word, unsigned int mask, unsigned int bits) {
#ifdef TUNER_HOST
  return (word & mask) | bits;
#else
  unsigned int result;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(result) : "r"(word), "r"(mask), "r"(bits));
  return result;
#endif
}

// a b + c of both halves of a word, rounded once.
__device__ __forceinline__ unsigned int multiply_add_halves(unsigned int a, unsigned int b, unsigned int c) {
#ifdef TUNER_HOST
  const auto one = [](unsigned int p, unsigned int q, unsigned int r) {
    return static_cast<unsigned int>(
        tuner_simt::float_to_half(tuner_simt::half_to_float(p & 0xffff) * tuner_simt::half_to_float(q & 0xffff) +
                                  tuner_simt::half_to_float(r & 0xffff)));
  };
  return one(a, b, c) | one(a >> 16, b >> 16, c >> 16) << 16;
#else
  unsigned int result;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
#endif
}

// Unsigned integers. Subnormal halves are integers of 2^-24, so that a masked word is two numbers as it is.
struct UnsignedNibbles {
  static constexpr float unit = 0x1p24f;        // a sum of products of `even` times this is what the codes mean
  static constexpr float odd_share = 0.0625f;   // of `odd` times this, the same
  static constexpr unsigned int one = 0x0010u;  // the code 1 as a half of `odd`

  // Elements 0, 1 and 4, 5.
  __device__ static __forceinline__ void even(unsigned int word, unsigned int& first, unsigned int& second) {
    first = word & 0x000f000fu;
    second = word >> 8 & 0x000f000fu;
  }
  // Elements 2, 3 and 6, 7.
  __device__ static __forceinline__ void odd(unsigned int word, unsigned int& first, unsigned int& second) {
    first = word & 0x00f000f0u;
    second = word >> 8 & 0x00f000f0u;
  }

  // The codes less 8 themselves: 1024 + code is a half with the code as its last bits.
  __device__ static __forceinline__ void even_less_8(unsigned int word, unsigned int& first, unsigned int& second) {
    first = multiply_add_halves(mask_and_set(word, 0x000f000fu, 0x64006400u), 0x3c003c00u, 0xe408e408u);  // 1, -1032
    second = multiply_add_halves(mask_and_set(word >> 8, 0x000f000fu, 0x64006400u), 0x3c003c00u, 0xe408e408u);
  }
  __device__ static __forceinline__ void odd_less_8(unsigned int word, unsigned int& first, unsigned int& second) {
    first = multiply_add_halves(mask_and_set(word, 0x00f000f0u, 0x64006400u), 0x2c002c00u, 0xd480d480u);  // 1 / 16, -72
    second = multiply_add_halves(mask_and_set(word >> 8, 0x00f000f0u, 0x64006400u), 0x2c002c00u, 0xd480d480u);
  }

  // Products with floats: a code is masked where it lies and is then a subnormal float, n 2^-149. What it is multiplied
  // by has been made larger before, by less where the code lies higher.
  static constexpr float float_unit = 0x1p38f;
  __device__ static __forceinline__ float enlarged(float value, int element) {
    const int nibble = element / 2 + element % 2 * 4, bits = nibble < 6 ? nibble * 4 : nibble * 4 - 24;
    return value * bits_to_float(static_cast<unsigned int>(127 + 111 - bits) << 23);
  }
  __device__ static __forceinline__ float add_products(unsigned int word, const float* enlarged_values, float sum) {
#pragma unroll
    for (int element = 0; element < 8; ++element) {
      const int nibble = element / 2 + element % 2 * 4;
      const unsigned int code = nibble < 6 ? word & 0xfu << nibble * 4 : word >> 24 & 0xfu << (nibble * 4 - 24);
      sum = fmaf(bits_to_float(code), enlarged_values[element], sum);
    }
    return sum;
  }
};

// E2M1: a sign, two bits of exponent, one of mantissa: 0 0.5 1 1.5 2 3 4 6. As the top of a half these bits are 2^-14
// of that, the subnormal 0.5 as well.
struct E2m1Nibbles {
  static constexpr float unit = 0x1p14f;
  static constexpr float odd_share = 1;
  static constexpr unsigned int one = 0;  // no zero point to correct for

  // The upper bytes of four halves, from the upper nibbles of four bytes.
  __device__ static __forceinline__ unsigned int upper_bytes(unsigned int word) {
    return mask_and_set(word, 0x80808080u, word >> 3 & 0x0e0e0e0eu);
  }
  __device__ static __forceinline__ void even(unsigned int word, unsigned int& first, unsigned int& second) {
    const unsigned int bytes = upper_bytes(word << 4);
    first = bytes_to_upper_halves(bytes);
    second = bytes & 0xff00ff00u;
  }
  __device__ static __forceinline__ void odd(unsigned int word, unsigned int& first, unsigned int& second) {
    const unsigned int bytes = upper_bytes(word);
    first = bytes_to_upper_halves(bytes);
    second = bytes & 0xff00ff00u;
  }

  static constexpr float float_unit = unit;
  __device__ static __forceinline__ float enlarged(float value, int) { return value; }
  __device__ static __forceinline__ float add_products(unsigned int word, const float* values, float sum) {
    unsigned int pair[4];
    even(word, pair[0], pair[2]);
    odd(word, pair[1], pair[3]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      sum = fmaf(to_float(half_t{static_cast<unsigned short>(pair[i] & 0xffffu)}), values[2 * i], sum);
      sum = fmaf(to_float(half_t{static_cast<unsigned short>(pair[i] >> 16)}), values[2 * i + 1], sum);
    }
    return sum;
  }
};

// What a power of two of E8M0 is: 2^(code - 127).
__device__ __forceinline__ float e8m0_to_float(unsigned int code) {
  const unsigned int bits = code << 23;
  return bits_to_float(bits == 0 ? 0x00400000u : bits);
}
