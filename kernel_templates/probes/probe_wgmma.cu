// Each warpgroup adds a b, of 64 x 64 and 64 x 256 elements, `steps` times to its sum by wgmma.m64n256k16, four a step, with
// both factors in shared memory (sm_90a). y[g] is the 64 x 256 sum of warpgroup g, row-major; b lies column by column.
// https://docs.nvidia.com/cuda/parallel-thread-execution: wgmma.mma_async, matrix descriptor, 128-byte swizzling
#include "tuner_intrinsics.cuh"

namespace probe {

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr int kRows = 64, kColumns = 256, kDepth = 64;
constexpr int kBytesOfA = kRows * kDepth * 2, kBytesOfB = kColumns * kDepth * 2;

// Rows of 128 bytes, the eighths of row r exchanged by r % 8.
__device__ __forceinline__ half_t& element(char* matrix, int row, int k) {
  return *reinterpret_cast<half_t*>(matrix + row * 128 + ((k / 8) ^ (row % 8)) * 16 + k % 8 * 2);
}

__device__ __forceinline__ void fill(char* to, const half_t* from, int rows, int thread, int threads) {
  for (int i = thread; i < rows * kDepth; i += threads) element(to, i / kDepth, i % kDepth) = from[i];
}

// Where element i of a thread's part of the sum stands.
__device__ __forceinline__ int row_of(int thread, int i) {
  return thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
}
__device__ __forceinline__ int column_of(int thread, int i) { return i / 4 * 8 + thread % 4 * 2 + i % 2; }

#ifdef TUNER_HOST

__device__ __forceinline__ void show_to_async() {}

__device__ __forceinline__ u64 offset_in_1024(const char* shared) { return address_of(shared) % 1024; }

__device__ __forceinline__ void add_products(float (&sum)[128], char* a, char* b, int steps) {
  const int thread = threadIdx.x % 128;
  for (int i = 0; i < 128; ++i)
    for (int k = 0; k < steps * kDepth; ++k)
      sum[i] = fmaf(to_float(element(a, row_of(thread, i), k % kDepth)),
                    to_float(element(b, column_of(thread, i), k % kDepth)), sum[i]);
}

#else

__device__ __forceinline__ u32 offset_in_1024(const char* shared) {
  return static_cast<u32>(__cvta_generic_to_shared(shared)) % 1024;
}

// What this thread wrote to shared memory, to the engine that reads the factors.
__device__ __forceinline__ void show_to_async() { asm volatile("fence.proxy.async;" ::: "memory"); }

// Of rows as `fill` leaves them: groups of 8 lie 1024 bytes apart.
__device__ __forceinline__ u64 descriptor(const char* shared) {
  const u64 address = static_cast<u32>(__cvta_generic_to_shared(shared));
  return (address & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ __forceinline__ void multiply(float (&sum)[128], u64 a, u64 b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, 1, 1, 1, 0, 0;"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7]),
        "+f"(sum[8]), "+f"(sum[9]), "+f"(sum[10]), "+f"(sum[11]), "+f"(sum[12]), "+f"(sum[13]), "+f"(sum[14]), "+f"(sum[15]),
        "+f"(sum[16]), "+f"(sum[17]), "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]), "+f"(sum[21]), "+f"(sum[22]), "+f"(sum[23]),
        "+f"(sum[24]), "+f"(sum[25]), "+f"(sum[26]), "+f"(sum[27]), "+f"(sum[28]), "+f"(sum[29]), "+f"(sum[30]), "+f"(sum[31]),
        "+f"(sum[32]), "+f"(sum[33]), "+f"(sum[34]), "+f"(sum[35]), "+f"(sum[36]), "+f"(sum[37]), "+f"(sum[38]), "+f"(sum[39]),
        "+f"(sum[40]), "+f"(sum[41]), "+f"(sum[42]), "+f"(sum[43]), "+f"(sum[44]), "+f"(sum[45]), "+f"(sum[46]), "+f"(sum[47]),
        "+f"(sum[48]), "+f"(sum[49]), "+f"(sum[50]), "+f"(sum[51]), "+f"(sum[52]), "+f"(sum[53]), "+f"(sum[54]), "+f"(sum[55]),
        "+f"(sum[56]), "+f"(sum[57]), "+f"(sum[58]), "+f"(sum[59]), "+f"(sum[60]), "+f"(sum[61]), "+f"(sum[62]), "+f"(sum[63]),
        "+f"(sum[64]), "+f"(sum[65]), "+f"(sum[66]), "+f"(sum[67]), "+f"(sum[68]), "+f"(sum[69]), "+f"(sum[70]), "+f"(sum[71]),
        "+f"(sum[72]), "+f"(sum[73]), "+f"(sum[74]), "+f"(sum[75]), "+f"(sum[76]), "+f"(sum[77]), "+f"(sum[78]), "+f"(sum[79]),
        "+f"(sum[80]), "+f"(sum[81]), "+f"(sum[82]), "+f"(sum[83]), "+f"(sum[84]), "+f"(sum[85]), "+f"(sum[86]), "+f"(sum[87]),
        "+f"(sum[88]), "+f"(sum[89]), "+f"(sum[90]), "+f"(sum[91]), "+f"(sum[92]), "+f"(sum[93]), "+f"(sum[94]), "+f"(sum[95]),
        "+f"(sum[96]), "+f"(sum[97]), "+f"(sum[98]), "+f"(sum[99]), "+f"(sum[100]), "+f"(sum[101]), "+f"(sum[102]), "+f"(sum[103]),
        "+f"(sum[104]), "+f"(sum[105]), "+f"(sum[106]), "+f"(sum[107]), "+f"(sum[108]), "+f"(sum[109]), "+f"(sum[110]), "+f"(sum[111]),
        "+f"(sum[112]), "+f"(sum[113]), "+f"(sum[114]), "+f"(sum[115]), "+f"(sum[116]), "+f"(sum[117]), "+f"(sum[118]), "+f"(sum[119]),
        "+f"(sum[120]), "+f"(sum[121]), "+f"(sum[122]), "+f"(sum[123]), "+f"(sum[124]), "+f"(sum[125]), "+f"(sum[126]), "+f"(sum[127])
      : "l"(a), "l"(b));
}

__device__ __forceinline__ void add_products(float (&sum)[128], char* a, char* b, int steps) {
  const u64 of_a = descriptor(a), of_b = descriptor(b);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (int k = 0; k < kDepth / 16; ++k) multiply(sum, of_a + 2 * k, of_b + 2 * k);  // 32 bytes on
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#endif

}  // namespace probe

extern "C" __global__ __launch_bounds__(128 * warpgroups) void probe_wgmma(const half_t* a, const half_t* b, float* y,
                                                                           int groups, int steps) {
  using namespace probe;
  extern __shared__ char raw[];
  char* const shared = raw + (1024 - offset_in_1024(raw)) % 1024;
  const int group = threadIdx.x / 128, thread = threadIdx.x % 128;
  char* const mine = shared + kBytesOfB + group * kBytesOfA;
  fill(shared, b, kColumns, threadIdx.x, 128 * warpgroups);
  fill(mine, a, kRows, thread, 128);
  show_to_async();
  __syncthreads();

  float sum[128];
#pragma unroll
  for (int i = 0; i < 128; ++i) sum[i] = 0;
  add_products(sum, mine, shared, steps);

  const int g = blockIdx.x * warpgroups + group;
  if (g >= groups) return;
  float* const out = y + static_cast<long long>(g) * kRows * kColumns;
#pragma unroll
  for (int i = 0; i < 128; ++i) out[row_of(thread, i) * kColumns + column_of(thread, i)] = sum[i];
}
