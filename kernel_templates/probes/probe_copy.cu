// Copies `bytes` bytes, a multiple of 16: to[i] = from[i], which is also how to check it.
//   tile:   a block copies block_size * unroll consecutive vectors and ends;
//   stride: all threads stride through the buffer together;
//   bulk:   one thread a block drives the bulk copy engine through a ring of shared memory (sm_90 and newer).

namespace probe {

typedef unsigned int u32;
typedef unsigned long long u64;

struct Vector {
  u32 a, b, c, d;
};

}  // namespace probe

#if method != method_bulk
namespace probe {

__device__ __forceinline__ Vector load(const char* from) {
  Vector v;
#if load_hint == load_hint_no_allocate
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.a), "=r"(v.b), "=r"(v.c), "=r"(v.d)
               : "l"(from));
#elif load_hint == load_hint_streaming
  asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.a), "=r"(v.b), "=r"(v.c), "=r"(v.d)
               : "l"(from));
#else
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.a), "=r"(v.b), "=r"(v.c), "=r"(v.d)
               : "l"(from));
#endif
  return v;
}

#if store_hint == store_hint_plain
#define PROBE_STORE "st.global.v4.u32"
#elif store_hint == store_hint_streaming
#define PROBE_STORE "st.global.cs.v4.u32"
#else
#define PROBE_STORE "st.global.L1::no_allocate.v4.u32"
#endif

__device__ __forceinline__ void store(char* to, Vector v) {
  asm volatile(PROBE_STORE " [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.a), "r"(v.b), "r"(v.c), "r"(v.d) : "memory");
}

// Copies vectors i, i + step, ... ; `whole`: all `unroll` of them exist.
template <bool whole>
__device__ __forceinline__ void copy(const char* from, char* to, u64 i, u64 step, u64 vectors) {
  Vector v[unroll];
#pragma unroll
  for (int u = 0; u < unroll; ++u)
    if (whole || i + u * step < vectors) v[u] = load(from + (i + u * step) * 16);
#pragma unroll
  for (int u = 0; u < unroll; ++u)
    if (whole || i + u * step < vectors) store(to + (i + u * step) * 16, v[u]);
}

}  // namespace probe

extern "C" __global__ __launch_bounds__(block_size) void probe_copy(const char* from, char* to, long long bytes) {
  using namespace probe;
  const u64 vectors = (u64)bytes / 16;
#if method == method_tile
  const u64 i = (u64)blockIdx.x * (block_size * unroll) + threadIdx.x;
  if (i - threadIdx.x + block_size * unroll <= vectors)
    copy<true>(from, to, i, block_size, vectors);
  else
    copy<false>(from, to, i, block_size, vectors);
#else
  const u64 step = (u64)gridDim.x * block_size;
  u64 i = (u64)blockIdx.x * block_size + threadIdx.x;
  for (; i + (unroll - 1) * step < vectors; i += unroll * step) copy<true>(from, to, i, step, vectors);
  copy<false>(from, to, i, step, vectors);
#endif
}

#else
namespace probe {

constexpr int kStored = stages / 2;          // stores that may still be reading their stage
constexpr int kAhead = stages - kStored;     // loads in flight

__device__ __forceinline__ u32 shared_address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void load(u32 stage, u32 barrier, const char* from, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(stage),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

__device__ __forceinline__ void wait(u32 barrier, u32 parity) {
  u32 done = 0;
  while (!done)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
}

__device__ __forceinline__ void store(char* to, u32 stage, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(stage), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

}  // namespace probe

// Tile t of the buffer goes through stage t' % stages, t' counting this block's own tiles.
extern "C" __global__ __launch_bounds__(32) void probe_copy(const char* from, char* to, long long bytes) {
  using namespace probe;
  extern __shared__ __align__(128) char ring[];
  __shared__ __align__(8) u64 full[stages];
  if (threadIdx.x != 0) return;
  for (int s = 0; s < stages; ++s)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(full + s)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");

  const long long tiles = (bytes + stage_bytes - 1) / stage_bytes;
  const long long mine = blockIdx.x < tiles ? (tiles - blockIdx.x + gridDim.x - 1) / gridDim.x : 0;
  const auto offset = [&](long long t) { return (blockIdx.x + t * gridDim.x) * stage_bytes; };
  const auto size = [&](long long t) { return (u32)min((long long)stage_bytes, bytes - offset(t)); };
  const auto load_tile = [&](long long t) {
    const int s = (int)(t % stages);
    load(shared_address(ring + s * stage_bytes), shared_address(full + s), from + offset(t), size(t));
  };
  for (int t = 0; t < kAhead && t < mine; ++t) load_tile(t);
  for (long long t = 0; t < mine; ++t) {
    const int s = (int)(t % stages);
    wait(shared_address(full + s), (u32)(t / stages) & 1);
    store(to + offset(t), shared_address(ring + s * stage_bytes), size(t));
    // Every store but the latest kStored has read its stage: the one that held tile t + kAhead before is among them.
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kStored) : "memory");
    if (t + kAhead < mine) load_tile(t + kAhead);
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
#endif
