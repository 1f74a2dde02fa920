// What the tuner itself runs on a GPU: making values, hashing a buffer, finding the first byte that differs.
// Compiled by NVRTC for the GPU at hand; includes no header. The host's half of the values and of the checksum is
// measure/generator.h: both must agree to the bit, which a test that compiles this file for the host (TUNER_HOST) checks.

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
enum Type { f64, f32, f16, bf16, i8, u8_, i16, u16_, i32, u32_, i64_, u64_ };

struct Request {
  u64 seed;
  int exact;
  int magnitude;
  float low;
  float range;  // high - low, rounded once
};

__device__ __forceinline__ int exact_value(u64 h, const Request& r) {
  const int v = 1 + (int)((h >> 33) % (u64)r.magnitude);
  return (h >> 32) & 1 ? -v : v;
}

__device__ __forceinline__ float uniform_value(u64 h, const Request& r) {
  return __fmaf_rn(r.range, __fmul_rn((float)(u32)(h >> 40), 0x1p-24f), r.low);
}

__device__ __forceinline__ void put(double& to, float v) { to = (double)v; }
__device__ __forceinline__ void put(float& to, float v) { to = v; }

struct Half {
  u16 bits;
};
#ifdef TUNER_HOST
void put(Half& to, float v) { to.bits = tuner_host_half(v); }
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

template <class T>
__device__ __forceinline__ void put_value(T& to, u64 h, const Request& r) {
  put(to, r.exact ? (float)exact_value(h, r) : uniform_value(h, r));
}

// Too large or small saturates.
template <class T>
__device__ __forceinline__ void put_integer(T& to, u64 h, const Request& r) {
  constexpr bool kSigned = (T)-1 < (T)0;
  constexpr int kValueBits = (int)sizeof(T) * 8 - (kSigned ? 1 : 0);
  constexpr i64 kMost = kValueBits >= 63 ? 0x7fffffffffffffffll : (1ll << (kValueBits % 63)) - 1;
  constexpr i64 kLeast = kSigned ? -kMost - 1 : 0;
  const i64 v = r.exact ? (i64)exact_value(h, r) : (i64)uniform_value(h, r);
  to = (T)(v < kLeast ? kLeast : v > kMost ? kMost : v);
}
#define PUT_INTEGER(T) \
  __device__ __forceinline__ void put_value(T& to, u64 h, const Request& r) { put_integer(to, h, r); }
PUT_INTEGER(signed char)
PUT_INTEGER(u8)
PUT_INTEGER(short)
PUT_INTEGER(u16)
PUT_INTEGER(int)
PUT_INTEGER(u32)
PUT_INTEGER(i64)
PUT_INTEGER(u64)

template <class T>
__device__ __forceinline__ void fill(void* to, u64 count, const Request& r) {
  for (u64 i = global_thread(); i < count; i += global_threads())
    put_value(((T*)to)[i], mix(r.seed ^ (i * 0x9E3779B97F4A7C15ull)), r);
}

extern "C" __global__ void tuner_fill(void* to, u64 count, u64 seed, int type, int exact, int magnitude, float low,
                                      float high) {
  const Request r{seed, exact, magnitude, low, __fsub_rn(high, low)};
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
