// As many blocks or clusters as live at once, or a few times as many, each with a number of rows. The next `stages` of
// them are on their way to shared memory while one is worked on. Part of softmax.cu.
// A block's share of the rows that it has in shared memory. A thread reads only what it has put there itself.
struct Ring {
  char* own;

  __device__ __forceinline__ explicit Ring(char* shared) : own(shared + 16 * static_cast<int>(threadIdx.x)) {}
  __device__ __forceinline__ char* place(int stage, int i) const {
    return own + (stage * vectors + i) * block_size * 16;
  }
  __device__ __forceinline__ void start(const Row& row, const Share& share, int stage) const {
    const int first = share.begin + static_cast<int>(threadIdx.x);
    const char* const from = row.vectors_begin() + 16 * static_cast<int64_t>(first);
    repeat<vectors>([&](auto i) {
      if (first + i.value * block_size < share.end)
        copy_16_to_shared(place(stage, i.value), from + i.value * block_size * 16);
      else
        store_own(place(stage, i.value), {{kNothing, kNothing, kNothing, kNothing}});
    });
  }
  __device__ __forceinline__ Vector<16> get(int stage, int i) const { return load_own(place(stage, i)); }
};

// What all threads of all blocks of the row have found. `parity` is 0, 1, 0, ...: what is told of a row stands until
// that of the next is seen.
__device__ __forceinline__ Found of_row(const Found& own, int parity) {
  if constexpr (blocks_per_row == 1) {
    __shared__ Found of_warps[2][WARPS];
    return of_block(own, of_warps[parity]);
  } else {
    __shared__ Found of_warps[2][blocks_per_row * WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const Found found = of_lanes<32>(own);
    if (lane < blocks_per_row) store_peer(&of_warps[parity][cluster_rank() * WARPS + warp], lane, found);
    cluster_sync();
    return of_cluster(of_warps[parity]);
  }
}

extern "C" __global__ void __launch_bounds__(block_size, resident / block_size)
    softmax(const X* x, Y* y, Found*, unsigned int*, int64_t R, int C, int64_t row_stride) {
  extern __shared__ Vector<16> shared[];
  if constexpr (blocks_per_row > 1) cluster_arrive();
  const int part = blockIdx.x % blocks_per_row, step = gridDim.x / blocks_per_row;
  const Ring ring(reinterpret_cast<char*>(shared));
  const auto start = [&](int64_t index, int stage) {
    if (index < R) {
      const Row row(x, y, index, part, C, row_stride);
      ring.start(row, Share(row.cut.whole, part, blocks_per_row), stage);
    }
    end_of_own_copies();
  };
  int64_t index = blockIdx.x / blocks_per_row;
  for (int i = 0; i < stages; ++i) start(index + static_cast<int64_t>(i) * step, i);
  if constexpr (blocks_per_row > 1) cluster_wait();  // its blocks have begun
  int stage = 0;
  for (int parity = 0; index < R; parity ^= 1, index += step, stage = stage + 1 == stages ? 0 : stage + 1) {
    const int64_t later = index + static_cast<int64_t>(stages) * step;
    const Row row(x, y, index, part, C, row_stride);
    const Share share(row.cut.whole, part, blocks_per_row);
    const float edge = row.edge_value();
    const auto write_all = [&](const auto& write) {
      repeat<vectors>([&](auto i) {
        const int vector = share.begin + i.value * block_size + static_cast<int>(threadIdx.x);
        if (vector < share.end) write(i.value, vector);
      });
    };
    own_copies_are_here<stages - 1>();
    if constexpr (exponentials == exponentials_kept) {
      Terms<vectors> terms;
      const Found own = terms.calculate([&](auto i) { return ring.get(stage, i.value); }, edge);
      start(later, stage);
      const float multiplier = terms.multiplier(own, of_row(own, parity));
      write_all([&](int i, int vector) { row.write_terms(vector, terms.of[i], multiplier); });
      row.write_edge_term(terms.edge, multiplier);
    } else {
      Found found = of_edge(edge);
#pragma unroll
      for (int i = 0; i < vectors; ++i) found = with_vector(found, ring.get(stage, i));
      found = of_row(found, parity);
      const float inverse = 1.0f / found.sum;
      write_all([&](int i, int vector) { row.write(vector, ring.get(stage, i), found.largest, inverse); });
      row.write_edge(edge, found.largest, inverse);
      start(later, stage);
    }
  }
}
