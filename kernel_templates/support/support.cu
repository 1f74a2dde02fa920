// What the tuner itself runs on a GPU: making values, hashing a buffer, finding the first byte that differs, comparing a
// result with what it must be, values in double.
// Compiled by NVRTC for the GPU at hand; includes no header. The host's half of the values and of the checksum is
// device/generator.h: both must agree to the bit, which a test that compiles this file for the host (TUNER_HOST) checks.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

struct alignas(16) Vector {
  u64 a, b;
};

__device__ __forceinline__ u64 mix(u64 h) {
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93ull;
  h ^= h >> 32;
  h *= 0xD6E8FEB86659FD93ull;
  return h ^ (h >> 32);
}

__device__ __forceinline__ u64 global_thread() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ u64 global_threads() { return (u64)gridDim.x * blockDim.x; }

// ---- fill ----

// core/value.h, Type: the numbers are part of the call.
enum Type { f64, f32, f16, bf16, i8, u8_, i16, u16_, i32, u32_, i64_, u64_, f8_e4m3, f8_e5m2, boolean, i4, u4 };

// core/execution.h, Fill::Kind; -1: small integers.
enum Kind { exact = -1, uniform, normal, constant, iota };

struct Request {
  u64 seed;
  int kind;
  int magnitude;
  float low;
  float high;
  float range;  // high - low, rounded once
};

__device__ __forceinline__ int exact_value(u64 h, const Request& r, bool has_sign) {
  const int v = 1 + (int)((h >> 33) % (u64)r.magnitude);
  return has_sign && (h >> 32) & 1 ? -v : v;
}

__device__ __forceinline__ int sum_of_parts(u64 h) {
  return (int)(h & 0xffff) + (int)(h >> 16 & 0xffff) + (int)(h >> 32 & 0xffff) + (int)(h >> 48);
}

// Of every kind but exact and, for integers, iota.
__device__ __forceinline__ float value_of(u64 h, u64 index, const Request& r) {
  if (r.kind == normal) {
    const int sum = sum_of_parts(h) + sum_of_parts(mix(h ^ 0x9E3779B97F4A7C15ull));
    return __fmaf_rn(r.high, __fmul_rn((float)sum - 262140.0f, 1.0f / 53509.8f), r.low);
  }
  if (r.kind == iota) return (float)__fma_rn((double)index, (double)r.high, (double)r.low);
  return __fmaf_rn(r.range, __fmul_rn((float)(u32)(h >> 40), 0x1p-24f), r.low);
}

__device__ __forceinline__ void put(double& to, float v) { to = (double)v; }
__device__ __forceinline__ void put(float& to, float v) { to = v; }

struct Half {
  u16 bits;
};
#ifdef TUNER_HOST
inline void put(Half& to, float v) { to.bits = tuner_host_half(v); }
#else
__device__ __forceinline__ void put(Half& to, float v) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(v)); }
#endif

struct Bfloat {
  u16 bits;
};
// Round to nearest even on the bits: cvt.rn.bf16.f32 needs sm_80. Values are finite.
__device__ __forceinline__ void put(Bfloat& to, float v) {
  const u32 bits = __float_as_uint(v);
  to.bits = (u16)((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

// An 8-bit format with M fraction bits; too large saturates.
template <int M, int kMinExponent, int kMost>
__device__ __forceinline__ u8 f8_bits(float v) {
  const u32 bits = __float_as_uint(v);
  u32 magnitude = bits & 0x7fffffffu;
  const u32 most = __float_as_uint((float)kMost);
  if (magnitude > most) magnitude = most;
  int exponent = (int)(magnitude >> 23) - 127;
  if (exponent < kMinExponent) exponent = kMinExponent;
  const float steps = __fmul_rn(__uint_as_float(magnitude), __uint_as_float((u32)(M - exponent + 127) << 23));
  const u32 code = ((u32)(exponent - kMinExponent) << M) + (u32)__float2int_rn(steps);
  return (u8)((bits >> 24 & 0x80) | code);
}

struct E4m3 {
  u8 bits;
};
struct E5m2 {
  u8 bits;
};
__device__ __forceinline__ void put(E4m3& to, float v) { to.bits = f8_bits<3, -6, 448>(v); }
__device__ __forceinline__ void put(E5m2& to, float v) { to.bits = f8_bits<2, -14, 57344>(v); }

template <class T>
__device__ __forceinline__ void put_value(T& to, u64 h, u64 index, const Request& r) {
  put(to, r.kind == exact ? (float)exact_value(h, r, true) : value_of(h, index, r));
}

// Toward zero; out of range gives the nearest.
__device__ __forceinline__ i64 whole(double v) {
  return v >= 0x1p63 ? 0x7fffffffffffffffll : v < -0x1p63 ? -0x7fffffffffffffffll - 1 : (i64)v;
}

// Too large or small saturates.
__device__ __forceinline__ i64 integer_value(u64 h, u64 index, const Request& r, i64 least, i64 most) {
  const i64 v = r.kind == exact  ? (i64)exact_value(h, r, least < 0)
                : r.kind == iota ? whole(__ll2double_rn((i64)((u64)whole(r.low) + index * (u64)whole(r.high))))
                                 : whole(value_of(h, index, r));
  return v < least ? least : v > most ? most : v;
}

// Beyond what 64 bits with a sign hold.
__device__ __forceinline__ bool is_large(u64& to, u64 h, u64 index, const Request& r) {
  if (r.kind == exact || r.kind == iota) return false;
  const float v = value_of(h, index, r);
  if (v < 0x1p63f) return false;
  to = v >= 0x1p64f ? ~0ull : (u64)v;
  return true;
}
template <class T>
__device__ __forceinline__ bool is_large(T&, u64, u64, const Request&) {
  return false;
}

template <class T>
__device__ __forceinline__ void put_integer(T& to, u64 h, u64 index, const Request& r) {
  constexpr bool kSigned = (T)-1 < (T)0;
  constexpr int kValueBits = (int)sizeof(T) * 8 - (kSigned ? 1 : 0);
  constexpr i64 kMost = kValueBits >= 63 ? 0x7fffffffffffffffll : (1ll << (kValueBits % 63)) - 1;
  if (!is_large(to, h, index, r)) to = (T)integer_value(h, index, r, kSigned ? -kMost - 1 : 0, kMost);
}
#define PUT_INTEGER(T) \
  __device__ __forceinline__ void put_value(T& to, u64 h, u64 index, const Request& r) { put_integer(to, h, index, r); }
PUT_INTEGER(signed char)
PUT_INTEGER(u8)
PUT_INTEGER(short)
PUT_INTEGER(u16)
PUT_INTEGER(int)
PUT_INTEGER(u32)
PUT_INTEGER(i64)
PUT_INTEGER(u64)

struct Boolean {
  u8 bits;
};
__device__ __forceinline__ void put_value(Boolean& to, u64 h, u64 index, const Request& r) {
  to.bits = (u8)(r.kind == exact ? h >> 32 & 1 : integer_value(h, index, r, -2, 2) != 0);
}

__device__ __forceinline__ u64 hash_at(u64 index, const Request& r) {
  return mix(r.seed ^ (index * 0x9E3779B97F4A7C15ull));
}

// Two in a byte, the first in the low half.
__device__ __forceinline__ void fill_packed(u8* to, u64 count, i64 least, i64 most, const Request& r) {
  for (u64 pair = global_thread(); pair * 2 < count; pair += global_threads()) {
    const u64 i = pair * 2;
    const i64 low = integer_value(hash_at(i, r), i, r, least, most);
    const i64 high = i + 1 < count ? integer_value(hash_at(i + 1, r), i + 1, r, least, most) : 0;
    to[pair] = (u8)((low & 15) | (high & 15) << 4);
  }
}

template <class T>
__device__ __forceinline__ void fill(void* to, u64 count, const Request& r) {
  for (u64 i = global_thread(); i < count; i += global_threads())
    put_value(((T*)to)[i], hash_at(i, r), i, r);
}

extern "C" __global__ void tuner_fill(void* to, u64 count, u64 seed, int type, int kind, int magnitude, float low,
                                      float high) {
  const Request r{seed, kind, magnitude, low, high, __fsub_rn(high, low)};
  switch (type) {
    case f64: fill<double>(to, count, r); break;
    case f32: fill<float>(to, count, r); break;
    case f16: fill<Half>(to, count, r); break;
    case bf16: fill<Bfloat>(to, count, r); break;
    case i8: fill<signed char>(to, count, r); break;
    case u8_: fill<u8>(to, count, r); break;
    case i16: fill<short>(to, count, r); break;
    case u16_: fill<u16>(to, count, r); break;
    case i32: fill<int>(to, count, r); break;
    case u32_: fill<u32>(to, count, r); break;
    case i64_: fill<i64>(to, count, r); break;
    case u64_: fill<u64>(to, count, r); break;
    case f8_e4m3: fill<E4m3>(to, count, r); break;
    case f8_e5m2: fill<E5m2>(to, count, r); break;
    case boolean: fill<Boolean>(to, count, r); break;
    case i4: fill_packed((u8*)to, count, -8, 7, r); break;
    case u4: fill_packed((u8*)to, count, 0, 15, r); break;
  }
}

// ---- checksum ----

__device__ __forceinline__ u64 word_hash(u64 word, u64 index) { return mix(word ^ mix(index + 1)); }

// The little-endian word at `from`, at any alignment, of which `bytes` (at most 8) belong to the buffer.
__device__ __forceinline__ u64 partial_word(const u8* from, u64 bytes) {
  u64 word = 0;
  for (u32 b = 0; b < 8 && b < bytes; ++b) word |= (u64)from[b] << (8 * b);
  return word;
}

// Adds the sum over the buffer's 8-byte words w_i of mix(w_i ^ mix(i + 1)) to *sum, which the caller has zeroed.
extern "C" __global__ void tuner_checksum(const u8* from, u64 bytes, u64* sum) {
  u64 part = 0;
  u64 done = 0;  // words
  if (((u64)from & 15) == 0) {
    const Vector* vectors = (const Vector*)from;
    for (u64 i = global_thread(); i < bytes / 16; i += global_threads()) {
      const Vector v = vectors[i];
      part += word_hash(v.a, 2 * i) + word_hash(v.b, 2 * i + 1);
    }
    done = bytes / 16 * 2;
  }
  for (u64 i = done + global_thread(); i * 8 < bytes; i += global_threads())
    part += word_hash(partial_word(from + i * 8, bytes - i * 8), i);
  for (int lanes = 16; lanes > 0; lanes >>= 1) part += __shfl_xor_sync(0xffffffffu, part, lanes);
  if ((threadIdx.x & 31) == 0) atomicAdd(sum, part);
}

// ---- first_not ----

__device__ __forceinline__ void first_in_word(u64 word, u64 wanted, u64 offset, u64* first) {
  const u64 differs = word ^ wanted;
  if (differs != 0) atomicMin(first, offset + (u64)(__ffsll((i64)differs) - 1) / 8);
}

// Lowers *first, which the caller has set to all ones, to the offset of the first byte that is not `byte`.
extern "C" __global__ void tuner_first_not(const u8* from, u64 bytes, int byte, u64* first) {
  const u64 wanted = 0x0101010101010101ull * (u64)(byte & 255);
  u64 head = (16 - ((u64)from & 15)) & 15;
  if (head > bytes) head = bytes;
  const u64 vectors = (bytes - head) / 16;
  const u64 body = head + vectors * 16;
  for (u64 i = global_thread(); i < vectors; i += global_threads()) {
    const Vector v = ((const Vector*)(from + head))[i];
    first_in_word(v.a, wanted, head + i * 16, first);
    first_in_word(v.b, wanted, head + i * 16 + 8, first);
  }
  for (u64 i = global_thread(); i < head + (bytes - body); i += global_threads()) {
    const u64 offset = i < head ? i : body + (i - head);
    if (from[offset] != (u8)byte) atomicMin(first, offset);
  }
}

// ---- compare ----

__device__ __forceinline__ double value_at(const double* from, u64 i) { return from[i]; }
__device__ __forceinline__ double value_at(const float* from, u64 i) { return (double)from[i]; }
#ifdef TUNER_HOST
inline double value_at(const Half* from, u64 i) { return (double)tuner_host_float(from[i].bits); }
#else
__device__ __forceinline__ double value_at(const Half* from, u64 i) {
  float v;
  asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(from[i].bits));
  return (double)v;
}
#endif
__device__ __forceinline__ double value_at(const Bfloat* from, u64 i) {
  return (double)__uint_as_float((u32)from[i].bits << 16);
}
// A half whose lower fraction bits are zeros.
__device__ __forceinline__ double value_at(const E5m2* from, u64 i) {
  const Half half{(u16)(from[i].bits << 8)};
  return value_at(&half, 0);
}
__device__ __forceinline__ double value_at(const E4m3* from, u64 i) {
  const u32 sign = (u32)(from[i].bits & 0x80) << 24, exponent = from[i].bits >> 3 & 15, fraction = from[i].bits & 7;
  if (exponent == 0) return (double)__fmul_rn(sign != 0 ? -(float)fraction : (float)fraction, 0x1p-9f);
  const u32 bits = exponent == 15 && fraction == 7 ? 0x7fc00000u : (exponent + 120) << 23 | fraction << 20;
  return (double)__uint_as_float(sign | bits);
}
__device__ __forceinline__ double value_at(const Boolean* from, u64 i) { return from[i].bits != 0 ? 1.0 : 0.0; }
template <class T>
__device__ __forceinline__ double value_at(const T* from, u64 i) {
  return (double)from[i];
}

__device__ __forceinline__ bool is_finite(double v) { return fabs(v) <= 0x1.fffffffffffffp1023; }

__device__ __forceinline__ double power_of_two(int exponent) {
  return __longlong_as_double((i64)(u64)(exponent + 1023) << 52);
}

// Half the distance between neighbours at |at|, as core/number.h has it; 0.5 for integers.
template <class T>
__device__ __forceinline__ double half_step(T, double) {
  return 0.5;
}
__device__ __forceinline__ double half_step_of(int precision, int min_exponent, double at) {
  if (!is_finite(at)) return 0;
  const double leading = __longlong_as_double(__double_as_longlong(at) & 0x7ff0000000000000ll);
  const double least = power_of_two(min_exponent);
  return __dmul_rn(leading > least ? leading : least, power_of_two(-precision));
}
__device__ __forceinline__ double half_step(float, double at) { return half_step_of(24, -126, at); }
__device__ __forceinline__ double half_step(Half, double at) { return half_step_of(11, -14, at); }
__device__ __forceinline__ double half_step(Bfloat, double at) { return half_step_of(8, -126, at); }
__device__ __forceinline__ double half_step(E4m3, double at) { return half_step_of(4, -6, at); }
__device__ __forceinline__ double half_step(E5m2, double at) { return half_step_of(3, -14, at); }
__device__ __forceinline__ double half_step(double, double at) {
  if (!is_finite(at)) return 0;
  const double above = __longlong_as_double(__double_as_longlong(fabs(at)) + 1);
  const double half = __dmul_rn(__dadd_rn(above, -fabs(at)), 0.5);
  return half > 0x1p-1074 ? half : 0x1p-1074;
}

struct Bound {
  int steps;
  double gamma, relative, absolute;
};

template <class T>
__device__ __forceinline__ double allowed(const Bound& bound, double value, double magnitude) {
  if (bound.steps) {
    const double sums = __dmul_rn(bound.gamma, magnitude);
    return __dadd_rn(sums, half_step(T{}, __dadd_rn(fabs(value), sums)));
  }
  return __dadd_rn(__dmul_rn(bound.relative, is_finite(value) ? fabs(value) : 0), bound.absolute);
}

__device__ __forceinline__ u64 larger(u64 a, u64 b) { return a > b ? a : b; }

template <class T>
__device__ __forceinline__ void compare(const T* out, u64 count, const double* value, const double* magnitude,
                                        const Bound& bound, u64* found) {
  u64 outside = 0;
  double most = 0, most_used = 0;
  for (u64 i = global_thread(); i < count; i += global_threads()) {
    const double error = fabs(__dadd_rn(value_at(out, i), -value[i]));
    const double most_allowed = allowed<T>(bound, value[i], magnitude ? magnitude[i] : 0);
    if (!(error <= most_allowed)) {
      ++outside;
      continue;
    }
    if (error > most) most = error;
    const double used = error > 0 ? __ddiv_rn(error, most_allowed) : 0;
    if (used > most_used) most_used = used;
  }
  u64 error_bits = (u64)__double_as_longlong(most), used_bits = (u64)__double_as_longlong(most_used);
  for (int lanes = 16; lanes > 0; lanes >>= 1) {
    outside += __shfl_xor_sync(0xffffffffu, outside, lanes);
    error_bits = larger(error_bits, __shfl_xor_sync(0xffffffffu, error_bits, lanes));
    used_bits = larger(used_bits, __shfl_xor_sync(0xffffffffu, used_bits, lanes));
  }
  if ((threadIdx.x & 31) != 0) return;
  if (outside != 0) atomicAdd(found, outside);
  atomicMax(found + 1, error_bits);
  atomicMax(found + 2, used_bits);
}

// Adds to found[0] how many elements are not within what device/device.h, Tolerance, allows; raises found[1] and
// found[2] to the bits of the largest error and of the largest share of what is allowed, of the others. The caller has
// zeroed all three. `magnitude` may be null.
extern "C" __global__ void tuner_compare(const void* out, u64 count, int type, const double* value,
                                         const double* magnitude, int steps, double gamma, double relative,
                                         double absolute, u64* found) {
  const Bound bound{steps, gamma, relative, absolute};
  switch (type) {
    case f64: compare((const double*)out, count, value, magnitude, bound, found); break;
    case f32: compare((const float*)out, count, value, magnitude, bound, found); break;
    case f16: compare((const Half*)out, count, value, magnitude, bound, found); break;
    case bf16: compare((const Bfloat*)out, count, value, magnitude, bound, found); break;
    case i8: compare((const signed char*)out, count, value, magnitude, bound, found); break;
    case u8_: compare((const u8*)out, count, value, magnitude, bound, found); break;
    case i16: compare((const short*)out, count, value, magnitude, bound, found); break;
    case u16_: compare((const u16*)out, count, value, magnitude, bound, found); break;
    case i32: compare((const int*)out, count, value, magnitude, bound, found); break;
    case u32_: compare((const u32*)out, count, value, magnitude, bound, found); break;
    case i64_: compare((const i64*)out, count, value, magnitude, bound, found); break;
    case u64_: compare((const u64*)out, count, value, magnitude, bound, found); break;
    case f8_e4m3: compare((const E4m3*)out, count, value, magnitude, bound, found); break;
    case f8_e5m2: compare((const E5m2*)out, count, value, magnitude, bound, found); break;
    case boolean: compare((const Boolean*)out, count, value, magnitude, bound, found); break;
    default: atomicAdd(found, count); break;
  }
}

// ---- widen ----

template <class T>
__device__ __forceinline__ void widen(double* to, const T* from, u64 count, bool absolute) {
  for (u64 i = global_thread(); i < count; i += global_threads()) {
    const double value = value_at(from, i);
    to[i] = absolute ? fabs(value) : value;
  }
}

// Elements of a floating type, or their absolute values, in double.
extern "C" __global__ void tuner_widen(double* to, const void* from, u64 count, int type, int absolute) {
  switch (type) {
    case f64: widen(to, (const double*)from, count, absolute); break;
    case f32: widen(to, (const float*)from, count, absolute); break;
    case f16: widen(to, (const Half*)from, count, absolute); break;
    case bf16: widen(to, (const Bfloat*)from, count, absolute); break;
    case f8_e4m3: widen(to, (const E4m3*)from, count, absolute); break;
    case f8_e5m2: widen(to, (const E5m2*)from, count, absolute); break;
  }
}

// ---- what a predecessor leaves ----

// Lets the successor start, waits for what is before it, and stands for a while.
__device__ __forceinline__ void be_late(u64 clocks) {
#if !defined(TUNER_HOST) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  const i64 begin = clock64();
  while ((u64)(clock64() - begin) < clocks) {
  }
#else
  (void)clocks;  // nothing overlaps
#endif
}

// Then copies `bytes`, or sets them to `byte` where `from` is null.
extern "C" __global__ void tuner_leave(u8* to, const u8* from, u64 bytes, int byte, u64 clocks) {
  be_late(clocks);
  for (u64 i = global_thread(); i < bytes; i += global_threads()) to[i] = from ? from[i] : (u8)byte;
}

// Then writes `count` small integers that the values at `from` make, over and over (device/generator.h, small_of).
template <class T, class F>
__device__ __forceinline__ void feed(T* to, u64 count, const F* from, u64 from_count, int magnitude) {
  for (u64 i = global_thread(); i < count; i += global_threads()) {
    const double value = fabs(value_at(from, i % from_count));
    const int k = is_finite(value) ? (int)fmod(value, 2.0 * magnitude) : 0;
    put(to[i], (float)(k < magnitude ? k - magnitude : k - magnitude + 1));
  }
}

template <class T>
__device__ __forceinline__ void feed_from(T* to, u64 count, const void* from, u64 from_count, int type, int magnitude) {
  switch (type) {
    case f64: feed(to, count, (const double*)from, from_count, magnitude); break;
    case f32: feed(to, count, (const float*)from, from_count, magnitude); break;
    case f16: feed(to, count, (const Half*)from, from_count, magnitude); break;
    case bf16: feed(to, count, (const Bfloat*)from, from_count, magnitude); break;
  }
}

extern "C" __global__ void tuner_feed(void* to, u64 count, int type, const void* from, u64 from_count, int from_type,
                                      int magnitude, u64 clocks) {
  be_late(clocks);
  switch (type) {
    case f64: feed_from((double*)to, count, from, from_count, from_type, magnitude); break;
    case f32: feed_from((float*)to, count, from, from_count, from_type, magnitude); break;
    case f16: feed_from((Half*)to, count, from, from_count, from_type, magnitude); break;
    case bf16: feed_from((Bfloat*)to, count, from, from_count, from_type, magnitude); break;
  }
}
