// The small set of device primitives that templates share. Includes no CUDA header, compiles for sm_75 and newer, and
// for the host device (TUNER_HOST: the host build has put its own prelude in front).
#pragma once

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;

struct half_t {
  unsigned short bits;
};
struct bf16_t {
  unsigned short bits;
};

// 4, 8 or 16 bytes that one load instruction fetches. Its address must be a multiple of its size.
template <int bytes>
struct alignas(bytes) Vector {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "a vector is 4, 8 or 16 bytes");
  unsigned int word[bytes / 4];
};

// How memory is fetched: `none` is a plain load, `read_only` stays in L1 without coherence (what many warps read),
// `streaming` does not stay in L1 (what is read once), `streaming_l2_256` also asks L2 for the 256 bytes around it.
enum class CacheHint { none, read_only, streaming, streaming_l2_256 };

__device__ __forceinline__ unsigned long long address_of(const void* pointer) {
  return reinterpret_cast<unsigned long long>(pointer);
}

// --- conversions -----------------------------------------------------------------------------------------------

__device__ __forceinline__ float bits_to_float(unsigned int bits) {
#ifdef TUNER_HOST
  float value;
  __builtin_memcpy(&value, &bits, 4);
  return value;
#else
  return __uint_as_float(bits);
#endif
}

__device__ __forceinline__ unsigned int float_to_bits(float value) {
#ifdef TUNER_HOST
  unsigned int bits;
  __builtin_memcpy(&bits, &value, 4);
  return bits;
#else
  return __float_as_uint(value);
#endif
}

__device__ __forceinline__ float to_float(float value) { return value; }
__device__ __forceinline__ float to_float(double value) { return static_cast<float>(value); }

__device__ __forceinline__ float to_float(half_t value) {
#ifdef TUNER_HOST
  return tuner_simt::half_to_float(value.bits);
#else
  float result;
  asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
  return result;
#endif
}

__device__ __forceinline__ float to_float(bf16_t value) {
  return bits_to_float(static_cast<unsigned int>(value.bits) << 16);
}

// Every conversion rounds to nearest even.
template <class T>
struct FromFloat;

template <>
struct FromFloat<float> {
  __device__ static __forceinline__ float convert(float value) { return value; }
};

template <>
struct FromFloat<double> {
  __device__ static __forceinline__ double convert(float value) { return value; }
};

template <>
struct FromFloat<half_t> {
  __device__ static __forceinline__ half_t convert(float value) {
    half_t result;
#ifdef TUNER_HOST
    result.bits = tuner_simt::float_to_half(value);
#else
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
#endif
    return result;
  }
};

template <>
struct FromFloat<bf16_t> {
  // cvt.rn.bf16.f32 needs sm_80.
  __device__ static __forceinline__ bf16_t convert(float value) {
    const unsigned int bits = float_to_bits(value);
    bf16_t result;
    result.bits = (bits & 0x7fffffffu) > 0x7f800000u
                      ? static_cast<unsigned short>(0x7fffu)
                      : static_cast<unsigned short>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
    return result;
  }
};

template <class T>
__device__ __forceinline__ T from_float(float value) {
  return FromFloat<T>::convert(value);
}

// sum + a . b over one 32-bit word of elements, in order.
template <class T>
struct WordDot;

template <>
struct WordDot<float> {
  __device__ static __forceinline__ float add(unsigned int a, unsigned int b, float sum) {
    return fmaf(bits_to_float(a), bits_to_float(b), sum);
  }
};

template <>
struct WordDot<bf16_t> {
  __device__ static __forceinline__ float add(unsigned int a, unsigned int b, float sum) {
    sum = fmaf(bits_to_float(a << 16), bits_to_float(b << 16), sum);
    return fmaf(bits_to_float(a & 0xffff0000u), bits_to_float(b & 0xffff0000u), sum);
  }
};

template <>
struct WordDot<half_t> {
  __device__ static __forceinline__ float add(unsigned int a, unsigned int b, float sum) {
#ifdef TUNER_HOST
    sum = fmaf(tuner_simt::half_to_float(a & 0xffffu), tuner_simt::half_to_float(b & 0xffffu), sum);
    return fmaf(tuner_simt::half_to_float(a >> 16), tuner_simt::half_to_float(b >> 16), sum);
#else
    float a_low, a_high, b_low, b_high;
    asm("{.reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h;}"
        : "=f"(a_low), "=f"(a_high)
        : "r"(a));
    asm("{.reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h;}"
        : "=f"(b_low), "=f"(b_high)
        : "r"(b));
    sum = fmaf(a_low, b_low, sum);
    return fmaf(a_high, b_high, sum);
#endif
  }
};

// sum + a . b over vectors of T.
template <class T, int bytes>
__device__ __forceinline__ float dot(const Vector<bytes>& a, const Vector<bytes>& b, float sum) {
#pragma unroll
  for (int i = 0; i < bytes / 4; ++i) sum = WordDot<T>::add(a.word[i], b.word[i], sum);
  return sum;
}

// --- loops over constants --------------------------------------------------------------------------------------

template <int i>
struct Constant {
  static constexpr int value = i;
};

// f(Constant<0>{}), ..., f(Constant<n - 1>{}): unrolled, with the index usable as a template argument.
template <int n, int i = 0, class F>
__device__ __forceinline__ void repeat(const F& f) {
  if constexpr (i < n) {
    f(Constant<i>{});
    repeat<n, i + 1>(f);
  }
}

// --- vector loads ----------------------------------------------------------------------------------------------

// All of these read `bytes` at `from + offset` of memory that the kernel does not write. A constant offset becomes part
// of the instruction. Loads stay in program order: what is loaded first is in flight first.

#ifdef TUNER_HOST

template <CacheHint hint, int bytes, int offset = 0>
__device__ __forceinline__ Vector<bytes> load_vector(const char* from) {
  if (address_of(from + offset) % bytes != 0) tuner_simt::misaligned(from + offset, bytes);
  Vector<bytes> result;
  for (int i = 0; i < bytes / 4; ++i) result.word[i] = reinterpret_cast<const unsigned int*>(from + offset)[i];
  return result;
}

template <CacheHint hint, int bytes, int offset = 0>
__device__ __forceinline__ Vector<bytes> load_vector_if(bool wanted, const char* from) {
  return wanted ? load_vector<hint, bytes, offset>(from) : Vector<bytes>{};
}

#else

#define TUNER_LOAD(load)                                                                                    \
  if constexpr (bytes == 16)                                                                                \
    asm volatile("{.reg .pred p; setp.ne.s32 p, %6, 0; @p " load ".v4.u32 {%0, %1, %2, %3}, [%4 + %5];}"    \
                 : "+r"(result.word[0]), "+r"(result.word[1 % words]), "+r"(result.word[2 % words]),        \
                   "+r"(result.word[3 % words])                                                             \
                 : "l"(from), "n"(offset), "r"(static_cast<int>(wanted)));                                  \
  else if constexpr (bytes == 8)                                                                            \
    asm volatile("{.reg .pred p; setp.ne.s32 p, %4, 0; @p " load ".v2.u32 {%0, %1}, [%2 + %3];}"            \
                 : "+r"(result.word[0]), "+r"(result.word[1 % words])                                       \
                 : "l"(from), "n"(offset), "r"(static_cast<int>(wanted)));                                  \
  else                                                                                                      \
    asm volatile("{.reg .pred p; setp.ne.s32 p, %3, 0; @p " load ".u32 %0, [%1 + %2];}"                     \
                 : "+r"(result.word[0])                                                                     \
                 : "l"(from), "n"(offset), "r"(static_cast<int>(wanted)))

// Zeros where it is not wanted.
template <CacheHint hint, int bytes, int offset = 0>
__device__ __forceinline__ Vector<bytes> load_vector_if(bool wanted, const char* from) {
  constexpr int words = bytes / 4;
  Vector<bytes> result = {};
  if constexpr (hint == CacheHint::none) {
    TUNER_LOAD("ld.global");
  } else if constexpr (hint == CacheHint::read_only) {
    TUNER_LOAD("ld.global.nc");
  } else if constexpr (hint == CacheHint::streaming) {
    TUNER_LOAD("ld.global.nc.L1::no_allocate");
  } else {
    TUNER_LOAD("ld.global.nc.L1::no_allocate.L2::256B");
  }
  return result;
}

#undef TUNER_LOAD

#define TUNER_LOAD(load)                                                                             \
  if constexpr (bytes == 16)                                                                         \
    asm volatile(load ".v4.u32 {%0, %1, %2, %3}, [%4 + %5];"                                         \
                 : "=r"(result.word[0]), "=r"(result.word[1 % words]), "=r"(result.word[2 % words]), \
                   "=r"(result.word[3 % words])                                                      \
                 : "l"(from), "n"(offset));                                                          \
  else if constexpr (bytes == 8)                                                                     \
    asm volatile(load ".v2.u32 {%0, %1}, [%2 + %3];"                                                 \
                 : "=r"(result.word[0]), "=r"(result.word[1 % words])                                \
                 : "l"(from), "n"(offset));                                                          \
  else                                                                                               \
    asm volatile(load ".u32 %0, [%1 + %2];" : "=r"(result.word[0]) : "l"(from), "n"(offset))

template <CacheHint hint, int bytes, int offset = 0>
__device__ __forceinline__ Vector<bytes> load_vector(const char* from) {
  constexpr int words = bytes / 4;
  Vector<bytes> result;
  if constexpr (hint == CacheHint::none) {
    TUNER_LOAD("ld.global");
  } else if constexpr (hint == CacheHint::read_only) {
    TUNER_LOAD("ld.global.nc");
  } else if constexpr (hint == CacheHint::streaming) {
    TUNER_LOAD("ld.global.nc.L1::no_allocate");
  } else {
    TUNER_LOAD("ld.global.nc.L1::no_allocate.L2::256B");
  }
  return result;
}

#undef TUNER_LOAD

#endif

// --- after the launch before -----------------------------------------------------------------------------------

// In the dependent regime a kernel starts before its predecessor has ended. Both do nothing in another regime and below
// sm_90.

// Until a thread has called it, it touches weights alone: activations are not written yet, and the predecessor may
// still use results and scratch. Then all of the predecessor has ended, and what it wrote is seen. Some thread of every
// launch must call it, so that launches end in order.
__device__ __forceinline__ void wait_for_predecessor() {
#ifdef TUNER_DEPENDENT
#ifdef TUNER_HOST
  tuner_simt::runtime->wait_for_predecessor();
#elif __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
#endif
}

// How activations are loaded, and the qualifier of a pointer to them: what the predecessor writes while this kernel is
// there already must not be taken for read-only.
#ifdef TUNER_DEPENDENT
constexpr CacheHint activation_hint = CacheHint::none;
#define TUNER_ACTIVATION
#else
constexpr CacheHint activation_hint = CacheHint::read_only;
#define TUNER_ACTIVATION __restrict__
#endif

// The successor may start once every block has called it or ended; its wait is for the end of this kernel all the same.
__device__ __forceinline__ void let_successor_start() {
#if defined(TUNER_DEPENDENT) && !defined(TUNER_HOST) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// --- across threads --------------------------------------------------------------------------------------------

// The sum over all 32 lanes, in every lane.
__device__ __forceinline__ float warp_sum(float value) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

__device__ __forceinline__ void atomic_add(float* to, float value) { atomicAdd(to, value); }
