// y = h / sqrt(mean(h^2) + eps) * w for each row of x: R rows of C elements, rows of x row_stride elements apart, the
// others C. h is x, or with FACT_residual x + r rounded to the type of x, which is written as well. The stages, each a
// variant: naive and reread read a row twice, kept reads it once and keeps it, in a block or in a cluster of blocks. Sums
// are fp32.
#include "tuner_cluster.cuh"
#include "tuner_row.cuh"

#define WARPS (block_size / 32)

typedef DTYPE X;
typedef FACT_y Y;

constexpr bool kResidual = FACT_residual;

// Of all threads of the block, in every thread. Once a launch.
__device__ __forceinline__ float of_block(float sum) {
  sum = warp_sum(sum);
  if constexpr (WARPS > 1) {
    __shared__ float of_warps[WARPS];
    const int lane = threadIdx.x % 32;
    if (lane == 0) of_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = of_warps[lane % WARPS];
#pragma unroll
    for (int distance = WARPS / 2; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  }
  return sum;
}

__device__ __forceinline__ float scale_of(float sum, int C, float eps) {
  return 1.0f / sqrtf(sum / static_cast<float>(C) + eps);
}

#if variant != variant_naive

constexpr int kPer = kElementsOf16Bytes<X>;
constexpr bool kStreams = store_hint == store_hint_streaming;

// --- the row of a block ------------------------------------------------------------------------------------------

// Where a block's row is, and which edge of it is this thread's: those of a row are taken by the first threads of its
// first block.
struct Row {
  const X *x, *r, *w;
  X* h;
  Y* y;
  RowCut<X> cut;
  bool r_aligned, w_aligned, h_aligned, y_aligned;  // whole vectors may be read or written as such
  int edge = -1;

  __device__ __forceinline__ Row(const X* all_x, const X* all_r, const X* all_w, X* all_h, Y* all_y, int64_t row,
                                 int part, int C, int64_t row_stride)
      : x(all_x + row * row_stride), r(all_r + row * C), w(all_w), h(all_h + row * C), y(all_y + row * C), cut(x, C) {
    r_aligned = takes_vectors<kPer>(r + cut.before);
    w_aligned = takes_vectors<kPer>(w + cut.before);
    h_aligned = takes_vectors<kPer>(h + cut.before);
    y_aligned = takes_vectors<kPer>(y + cut.before);
    if (part == 0 && static_cast<int>(threadIdx.x) < cut.edges) edge = cut.edge_at(threadIdx.x);
  }
  __device__ __forceinline__ const char* vectors_begin() const { return reinterpret_cast<const char*>(x + cut.before); }
  __device__ __forceinline__ int64_t element(int vector) const {
    return cut.before + static_cast<int64_t>(vector) * kPer;
  }
  // h of this thread's edge; 0 where it has none.
  __device__ __forceinline__ float edge_value() const {
    if (edge < 0) return 0;
    const float value = to_float(x[edge]);
    return kResidual ? to_float(from_float<X>(value + to_float(r[edge]))) : value;
  }
  __device__ __forceinline__ void write_edge(float value, float scale) const {
    if (edge < 0) return;
    if (kResidual) h[edge] = from_float<X>(value);
    y[edge] = from_float<Y>(value * scale * to_float(w[edge]));
  }
  __device__ __forceinline__ Vector<16> load_residual(int vector) const {
    return load_elements<CacheHint::streaming>(r + element(vector), r_aligned);
  }
  __device__ __forceinline__ Vector<16> load_weight(int vector) const {
    return load_elements<CacheHint::read_only>(w + element(vector), w_aligned);
  }
  __device__ __forceinline__ void write(int vector, const Vector<16>& kept, const Vector<16>& weight,
                                        float scale) const {
    float values[kPer], factors[kPer];
    unpack<X>(kept.word, values);
    unpack<X>(weight.word, factors);
    if (kResidual) store_elements<kStreams>(h + element(vector), values, h_aligned);
#pragma unroll
    for (int i = 0; i < kPer; ++i) values[i] = values[i] * scale * factors[i];
    store_elements<kStreams>(y + element(vector), values, y_aligned);
  }
};

// x + r, rounded.
__device__ __forceinline__ Vector<16> added(const Vector<16>& x, const Vector<16>& r) {
  float a[kPer], b[kPer];
  unpack<X>(x.word, a);
  unpack<X>(r.word, b);
#pragma unroll
  for (int i = 0; i < kPer; ++i) a[i] += b[i];
  Vector<16> sum;
  pack<X>(a, sum.word);
  return sum;
}

__device__ __forceinline__ float squares(const Vector<16>& v, float sum) { return dot<X>(v, v, sum); }

#endif

#if variant == variant_kept

// --- read once ---------------------------------------------------------------------------------------------------

constexpr int kInShared = place == place_registers ? 0 : place == place_shared ? vectors : vectors / 2;

// What all blocks of the cluster have found.
__device__ __forceinline__ float of_row(float sum) {
  if constexpr (blocks_per_row > 1) {
    __shared__ float of_peers[blocks_per_row];
    cluster_wait();  // they have begun
    if (threadIdx.x < blocks_per_row) store_peer(&of_peers[cluster_rank()], threadIdx.x, sum);
    cluster_sync();
    sum = of_peers[0];
#pragma unroll
    for (int i = 1; i < blocks_per_row; ++i) sum += of_peers[i];
  }
  return sum;
}

extern "C" __global__ void __launch_bounds__(block_size, resident / block_size)
    rmsnorm(const X* x, const X* r, const X* w, X* h, Y* y, int C, int64_t row_stride, float eps, int) {
  extern __shared__ Vector<16> shared[];
  if constexpr (blocks_per_row > 1) cluster_arrive();
  const int part = blockIdx.x % blocks_per_row;
  const Row row(x, r, w, h, y, blockIdx.x / blocks_per_row, part, C, row_stride);
  const Share share(row.cut.whole, part, blocks_per_row);
  const int first = share.begin + static_cast<int>(threadIdx.x);
  KeptVectors<vectors, kInShared, block_size> kept;
  kept.load(row.vectors_begin(), share, reinterpret_cast<char*>(shared), 0);
  Vector<16> weights[vectors], residuals[kResidual ? vectors : 1];
  const auto is_mine = [&](int i) { return first + i * block_size < share.end; };
  repeat<vectors>([&](auto i) {
    if constexpr (kResidual) residuals[i.value] = is_mine(i.value) ? row.load_residual(first + i.value * block_size) : Vector<16>{};
    if constexpr (weight_load == weight_load_early)
      weights[i.value] = is_mine(i.value) ? row.load_weight(first + i.value * block_size) : Vector<16>{};
  });
  const float edge = row.edge_value();
  float sum = edge * edge;
  repeat<vectors>([&](auto i) {
    kept.template await<i.value>();
    if constexpr (kResidual) kept.template set<i.value>(added(kept.template get<i.value>(), residuals[i.value]));
    sum = squares(kept.template get<i.value>(), sum);
  });
  const float scale = scale_of(of_row(of_block(sum)), C, eps);
  repeat<vectors>([&](auto i) {
    if (!is_mine(i.value)) return;
    if constexpr (weight_load == weight_load_late) weights[i.value] = row.load_weight(first + i.value * block_size);
    row.write(first + i.value * block_size, kept.template get<i.value>(), weights[i.value], scale);
  });
  row.write_edge(edge, scale);
}

#elif variant == variant_reread

// --- read twice --------------------------------------------------------------------------------------------------

// `unroll` vectors of h, all on their way before the first is used; zeros where there are none.
struct Some {
  Vector<16> held[unroll];

  __device__ __forceinline__ void load(const Row& row, int first) {
    const char* const at = row.vectors_begin() + 16 * static_cast<int64_t>(first);
    Vector<16> residuals[unroll];
    repeat<unroll>([&](auto i) {
      const bool wanted = first + i.value * block_size < row.cut.whole;
      held[i.value] = load_vector_if<CacheHint::none, 16, i.value * block_size * 16>(wanted, at);
      if constexpr (kResidual)
        residuals[i.value] = wanted ? row.load_residual(first + i.value * block_size) : Vector<16>{};
    });
    if constexpr (kResidual)
      repeat<unroll>([&](auto i) { held[i.value] = added(held[i.value], residuals[i.value]); });
  }
};

extern "C" __global__ void __launch_bounds__(block_size)
    rmsnorm(const X* x, const X* r, const X* w, X* h, Y* y, int C, int64_t row_stride, float eps, int) {
  const Row row(x, r, w, h, y, blockIdx.x, 0, C, row_stride);
  constexpr int step = unroll * block_size;
  const float edge = row.edge_value();
  float sum = edge * edge;
  Some some;
  for (int first = threadIdx.x; first < row.cut.whole; first += step) {
    some.load(row, first);
#pragma unroll
    for (int i = 0; i < unroll; ++i) sum = squares(some.held[i], sum);
  }
  const float scale = scale_of(of_block(sum), C, eps);
  // Backwards: what was read last is still near.
  for (int round = (row.cut.whole + step - 1) / step - 1; round >= 0; --round) {
    const int first = round * step + static_cast<int>(threadIdx.x);
    some.load(row, first);
#pragma unroll
    for (int i = 0; i < unroll; ++i) {
      const int vector = first + i * block_size;
      if (vector < row.cut.whole) row.write(vector, some.held[i], row.load_weight(vector), scale);
    }
  }
  row.write_edge(edge, scale);
}

#else

// --- an element at a time ----------------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(block_size)
    rmsnorm(const X* x, const X* r, const X* w, X* h, Y* y, int C, int64_t row_stride, float eps, int) {
  const int64_t dense = blockIdx.x * static_cast<int64_t>(C);
  const auto value_at = [&](int i) {
    const float value = to_float(x[blockIdx.x * row_stride + i]);
    return kResidual ? to_float(from_float<X>(value + to_float(r[dense + i]))) : value;
  };
  float sum = 0;
  for (int i = threadIdx.x; i < C; i += block_size) sum += value_at(i) * value_at(i);
  const float scale = scale_of(of_block(sum), C, eps);
  for (int i = threadIdx.x; i < C; i += block_size) {
    const float value = value_at(i);
    if (kResidual) h[dense + i] = from_float<X>(value);
    y[dense + i] = from_float<Y>(value * scale * to_float(w[i]));
  }
}

#endif
