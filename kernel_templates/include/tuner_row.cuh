// A row of elements as the threads of a block hold it: 16-byte vectors in registers and in shared memory, and the few
// elements before the first and behind the last 16-byte boundary. Any length, any element-aligned address.
#pragma once

#include "tuner_intrinsics.cuh"

// --- vectors of elements -----------------------------------------------------------------------------------------

template <class T>
constexpr int kElementsOf16Bytes = 16 / static_cast<int>(sizeof(T));

template <class A, class B>
constexpr bool kSameType = false;
template <class A>
constexpr bool kSameType<A, A> = true;

// The two 16-bit elements of a word, lower address first.
template <class T>
__device__ __forceinline__ void unpack_word(unsigned int word, float& low, float& high);

template <>
__device__ __forceinline__ void unpack_word<half_t>(unsigned int word, float& low, float& high) {
#ifdef TUNER_HOST
  low = tuner_simt::half_to_float(word & 0xffffu);
  high = tuner_simt::half_to_float(word >> 16);
#else
  asm("{.reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h;}"
      : "=f"(low), "=f"(high)
      : "r"(word));
#endif
}

template <>
__device__ __forceinline__ void unpack_word<bf16_t>(unsigned int word, float& low, float& high) {
  low = bits_to_float(word << 16);
  high = bits_to_float(word & 0xffff0000u);
}

template <class T>
__device__ __forceinline__ unsigned int pack_word(float low, float high) {
#if !defined(TUNER_HOST) && __CUDA_ARCH__ >= 800
  unsigned int word;
  if constexpr (kSameType<T, half_t>)
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
#else
  return from_float<T>(low).bits | static_cast<unsigned int>(from_float<T>(high).bits) << 16;
#endif
}

// `count` elements of T as they lie in 32-bit words.
template <class T, int count>
__device__ __forceinline__ void unpack(const unsigned int* words, float (&values)[count]) {
#pragma unroll
  for (int i = 0; i < count * static_cast<int>(sizeof(T)) / 4; ++i) {
    if constexpr (sizeof(T) == 4)
      values[i] = bits_to_float(words[i]);
    else
      unpack_word<T>(words[i], values[2 * i], values[2 * i + 1]);
  }
}

template <class T, int count>
__device__ __forceinline__ void pack(const float (&values)[count], unsigned int* words) {
#pragma unroll
  for (int i = 0; i < count * static_cast<int>(sizeof(T)) / 4; ++i) {
    if constexpr (sizeof(T) == 4)
      words[i] = float_to_bits(values[i]);
    else
      words[i] = pack_word<T>(values[2 * i], values[2 * i + 1]);
  }
}

// --- stores and copies -------------------------------------------------------------------------------------------

// `streams`: it will not be read again soon.
template <bool streams, int bytes>
__device__ __forceinline__ void store_words(void* to, const unsigned int* word) {
#ifdef TUNER_HOST
  if (address_of(to) % bytes != 0) tuner_simt::misaligned(to, bytes);
  for (int i = 0; i < bytes / 4; ++i) static_cast<unsigned int*>(to)[i] = word[i];
#else
  if constexpr (bytes == 16 && streams)
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(word[0]), "r"(word[1]), "r"(word[2]),
                 "r"(word[3])
                 : "memory");
  else if constexpr (bytes == 16)
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(word[0]), "r"(word[1]), "r"(word[2]),
                 "r"(word[3])
                 : "memory");
  else if constexpr (streams)
    asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(word[0]), "r"(word[1]) : "memory");
  else
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(word[0]), "r"(word[1]) : "memory");
#endif
}

// `count` elements to `to`, in vectors where `aligned` says that they may be.
template <bool streams, class Y, int count>
__device__ __forceinline__ void store_elements(Y* to, const float (&values)[count], bool aligned) {
  constexpr int total = count * static_cast<int>(sizeof(Y)), step = total < 16 ? total : 16;
  if (aligned) {
    unsigned int words[total / 4];
    pack<Y>(values, words);
#pragma unroll
    for (int i = 0; i < total / step; ++i)
      store_words<streams, step>(reinterpret_cast<char*>(to) + i * step, words + i * step / 4);
    return;
  }
#pragma unroll
  for (int i = 0; i < count; ++i) to[i] = from_float<Y>(values[i]);
}

// A vector's elements from `from`, in one load where `aligned` says that it may be.
template <CacheHint hint, class T>
__device__ __forceinline__ Vector<16> load_elements(const T* from, bool aligned) {
  if (aligned) return load_vector<hint, 16>(reinterpret_cast<const char*>(from));
  float values[kElementsOf16Bytes<T>];
#pragma unroll
  for (int i = 0; i < kElementsOf16Bytes<T>; ++i) values[i] = to_float(from[i]);
  Vector<16> v;
  pack<T>(values, v.word);
  return v;
}

// Whether store_elements may store `count` elements at `to` and at every multiple of `count` from there as vectors.
template <int count, class Y>
__device__ __forceinline__ bool takes_vectors(const Y* to) {
  constexpr int total = count * static_cast<int>(sizeof(Y));
  return address_of(to) % (total < 16 ? total : 16) == 0;
}

// What L2 is told of what comes: nothing, or that it is read once, so that it goes first (sm_80 and newer).
template <bool once>
struct L2Policy {};

#if !defined(TUNER_HOST) && __CUDA_ARCH__ >= 800

template <>
struct L2Policy<true> {
  uint64_t bits;

  __device__ __forceinline__ L2Policy() { asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(bits)); }
};

template <int offset>
__device__ __forceinline__ Vector<16> load_kept(const char* from, const L2Policy<true>& policy) {
  Vector<16> v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4 + %5], %6;"
               : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
               : "l"(from), "n"(offset), "l"(policy.bits));
  return v;
}

#endif

template <int offset, bool once>
__device__ __forceinline__ Vector<16> load_kept(const char* from, const L2Policy<once>&) {
  return load_vector<CacheHint::streaming, 16, offset>(from);
}

// 16 bytes to shared memory, of which the thread that copies them may read after own_copies_are_here (sm_80 and newer).
__device__ __forceinline__ void copy_16_to_shared(char* to, const char* from) {
#ifdef TUNER_HOST
  if (address_of(to) % 16 != 0) tuner_simt::misaligned(to, 16);
  if (address_of(from) % 16 != 0) tuner_simt::misaligned(from, 16);
  __builtin_memcpy(to, from, 16);
#else
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned int>(__cvta_generic_to_shared(to))),
      "l"(from)
      : "memory");
#endif
}

#if !defined(TUNER_HOST) && __CUDA_ARCH__ >= 800

__device__ __forceinline__ void copy_16_to_shared(char* to, const char* from, const L2Policy<true>& policy) {
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned int>(__cvta_generic_to_shared(to))),
               "l"(from), "l"(policy.bits)
               : "memory");
}

#endif

template <bool once>
__device__ __forceinline__ void copy_16_to_shared(char* to, const char* from, const L2Policy<once>&) {
  copy_16_to_shared(to, from);
}

// What this thread has copied since the last call is a group.
__device__ __forceinline__ void end_of_own_copies() {
#if !defined(TUNER_HOST) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// All groups but the last `pending`.
template <int pending>
__device__ __forceinline__ void own_copies_are_here() {
#ifndef TUNER_HOST
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#endif
}

// What this thread has put into shared memory itself.
__device__ __forceinline__ Vector<16> load_own(const char* from) {
#ifdef TUNER_HOST
  return *reinterpret_cast<const Vector<16>*>(from);
#else
  Vector<16> v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
               : "r"(static_cast<unsigned int>(__cvta_generic_to_shared(from))));
  return v;
#endif
}

__device__ __forceinline__ void store_own(char* to, const Vector<16>& v) {
#ifdef TUNER_HOST
  *reinterpret_cast<Vector<16>*>(to) = v;
#else
  asm volatile(
      "st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(static_cast<unsigned int>(__cvta_generic_to_shared(to))),
      "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])
      : "memory");
#endif
}

// --- where the elements of a row are -----------------------------------------------------------------------------

// A row of `length` elements at x: `before` of them up to the first 16-byte boundary, `whole` vectors, and the rest.
// Those around the whole vectors are its edges: fewer than two vectors' elements.
template <class T>
struct RowCut {
  int before, whole, edges;

  __device__ __forceinline__ RowCut(const T* x, int length) {
    constexpr int per = kElementsOf16Bytes<T>;
    before = static_cast<int>((16 - address_of(x) % 16) % 16 / sizeof(T));
    if (before > length) before = length;
    whole = (length - before) / per;
    edges = length - whole * per;
  }
  // The element that edge number `edge` is.
  __device__ __forceinline__ int edge_at(int edge) const {
    return edge < before ? edge : edge + whole * kElementsOf16Bytes<T>;
  }
};

// Vectors [begin, end) of a row are block number `part`'s of `parts`.
struct Share {
  int begin, end;

  __device__ __forceinline__ Share(int whole, int part, int parts) {
    const int each = (whole + parts - 1) / parts;
    begin = part * each < whole ? part * each : whole;
    end = begin + each < whole ? begin + each : whole;
  }
};

// --- vectors that a thread keeps ---------------------------------------------------------------------------------

// `count` vectors a thread, vector i of thread t being number i * threads + t of the block's share: the first
// `in_shared` of them in shared memory, where a thread reads only what it has put there itself, so that this takes no
// barrier; the others in registers. Vectors beyond the share hold `filler` in each word. `once`: L2 is told that they
// are read once.
template <int count, int in_shared, int threads, bool once = false>
struct KeptVectors {
  Vector<16> held[count > in_shared ? count - in_shared : 1];
  char* own;

  // Starts all loads, from vectors whose first is at `from`; `get` and `set` of a vector follow its `await`. `shared`:
  // 16 * threads * in_shared bytes, 16-byte aligned.
  __device__ __forceinline__ void load(const char* from, const Share& share, char* shared, unsigned int filler) {
    own = shared + 16 * static_cast<int>(threadIdx.x);
    const int first = share.begin + static_cast<int>(threadIdx.x);
    const char* const at = from + 16 * static_cast<int64_t>(first);
    const L2Policy<once> policy;
    repeat<count>([&](auto i) {
      const bool wanted = first + i.value * threads < share.end;
      if constexpr (i.value < in_shared) {
        char* const to = own + i.value * threads * 16;
        if (wanted)
          copy_16_to_shared(to, at + i.value * threads * 16, policy);
        else
          store_own(to, {{filler, filler, filler, filler}});
        end_of_own_copies();
      } else {
        Vector<16>& v = held[i.value - in_shared];
        if (wanted)
          v = load_kept<i.value * threads * 16>(at, policy);
        else
          v = {{filler, filler, filler, filler}};
      }
    });
  }
  // Vectors arrive one after the other.
  template <int i>
  __device__ __forceinline__ void await() const {
    if constexpr (i < in_shared) own_copies_are_here<in_shared - 1 - i>();
  }
  // Reads anew each time: what a thread has unpacked of many vectors would not fit its registers.
  template <int i>
  __device__ __forceinline__ Vector<16> get() {
    if constexpr (i < in_shared) {
      return load_own(own + i * threads * 16);
    } else {
      Vector<16>& v = held[i - in_shared];
#ifndef TUNER_HOST
      asm volatile("" : "+r"(v.word[0]), "+r"(v.word[1]), "+r"(v.word[2]), "+r"(v.word[3]));
#endif
      return v;
    }
  }
  template <int i>
  __device__ __forceinline__ void set(const Vector<16>& v) {
    if constexpr (i < in_shared)
      store_own(own + i * threads * 16, v);
    else
      held[i - in_shared] = v;
  }
};
