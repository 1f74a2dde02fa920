// A row is read once: its vectors are kept in registers and shared memory, in a block, in a cluster of blocks or in
// blocks of a grid that meets. A row a block or a group of blocks. Part of softmax.cu.
#if defined(place_most) && place == place_most
constexpr int kInShared = (2 * vectors + 2) / 3;
#else
constexpr int kInShared = place == place_registers ? 0 : place == place_shared ? vectors : vectors / 2;
#endif

#ifdef load_hint
typedef KeptVectors<vectors, kInShared, block_size, load_hint == load_hint_evict_first> Kept;
#else
typedef KeptVectors<vectors, kInShared, block_size> Kept;
#endif

// What few vectors hold in registers is looked at twice, first for the largest: that is the shorter chain. What many
// hold would not fit unpacked.
constexpr bool kTwice = kInShared == 0 && vectors <= 6;

__device__ __forceinline__ Found of_thread(Kept& kept, float edge) {
  Found found = of_edge(edge);
  if constexpr (kTwice) {
    Largest largest(kept.template get<0>());
    repeat<vectors - 1>([&](auto i) { largest.add(kept.template get<i.value + 1>()); });
    found.largest = scaled(fmaxf(edge, largest.get()));
    const float to = subtrahend(found.largest);
    found.sum = term(edge, to);
    repeat<vectors>([&](auto i) {
      float x[kPer];
      unpacked(kept.template get<i.value>(), x);
      to_terms(x, to);
      found.sum += sum_of(x);
    });
  } else {
    repeat<vectors>([&](auto i) {
      kept.template await<i.value>();
      found = with_vector(found, kept.template get<i.value>());
    });
  }
  return found;
}

// --- what all threads of all blocks of the row have found --------------------------------------------------------

#if variant == variant_cooperative

// Every block leaves it in `found_by`, for the blocks of its row.
struct Meeting {
  Found* found_by;
  unsigned int* arrived;

  __device__ __forceinline__ Meeting(Found* found_by, unsigned int* arrived) : found_by(found_by), arrived(arrived) {}
  __device__ __forceinline__ void begin() {}
  __device__ __forceinline__ Found of_row(const Found& own) {
    Found found = of_block(own);
    if (threadIdx.x == 0) found_by[blockIdx.x] = found;
    grid_sync(arrived);
    const volatile float* const of_blocks =
        reinterpret_cast<const volatile float*>(found_by + blockIdx.x / blocks_per_row * blocks_per_row);
    found = nothing();
    for (int i = threadIdx.x % 32; i < blocks_per_row; i += 32) {
      Found other;
      other.largest = of_blocks[2 * i];
      other.sum = of_blocks[2 * i + 1];
      found = merged(found, other);
    }
    return of_lanes<32>(found);
  }
};

#elif blocks_per_row == 1

struct Meeting {
  __device__ __forceinline__ Meeting(Found*, unsigned int*) {}
  __device__ __forceinline__ void begin() {}
  __device__ __forceinline__ Found of_row(const Found& own) { return of_block(own); }
};

#else

// Every warp tells its own to all blocks of the cluster: by stores that a barrier of the cluster makes seen, or by such
// that each complete on an mbarrier of the block they go to, which waits for nothing else.
struct Meeting {
  static constexpr int kWarps = blocks_per_row * WARPS;
  static constexpr bool kAsync = cluster_exchange == cluster_exchange_async;

  Found (&of_warps)[kWarps];
  Barrier& all_told;

  __device__ static __forceinline__ Found (&shared_of_warps())[kWarps] {
    __shared__ Found of_warps[kWarps];
    return of_warps;
  }
  __device__ static __forceinline__ Barrier& shared_barrier() {
    __shared__ Barrier barrier;
    return barrier;
  }
  __device__ __forceinline__ Meeting(Found*, unsigned int*) : of_warps(shared_of_warps()), all_told(shared_barrier()) {
    if (kAsync && threadIdx.x == 0) {
      make_barrier(&all_told, 1);
      publish_barriers();
      arrive_expecting(&all_told, sizeof of_warps);
    }
    cluster_arrive();
  }
  // Its blocks have begun.
  __device__ __forceinline__ void begin() { cluster_wait(); }
  __device__ __forceinline__ Found of_row(const Found& own) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const Found found = of_lanes<32>(own);
    Found* const to = &of_warps[cluster_rank() * WARPS + warp];
    if constexpr (kAsync) {
      if (lane < blocks_per_row) store_peer_async(to, lane, found, &all_told);
      wait_for_phase(&all_told, 0);
    } else {
      if (lane < blocks_per_row) store_peer(to, lane, found);
      cluster_sync();
    }
    return of_cluster(of_warps);
  }
};

#endif

extern "C" __global__ void __launch_bounds__(block_size, resident / block_size)
    softmax(const X* x, Y* y, Found* found_by, unsigned int* arrived, int C, int64_t row_stride) {
  extern __shared__ Vector<16> shared[];
  Meeting meeting(found_by, arrived);
  const int part = blockIdx.x % blocks_per_row;
  const Row row(x, y, blockIdx.x / blocks_per_row, part, C, row_stride);
  const Share share(row.cut.whole, part, blocks_per_row);
  Kept kept;
  kept.load(row.vectors_begin(), share, reinterpret_cast<char*>(shared), kNothing);
  const float edge = row.edge_value();
  meeting.begin();
  if constexpr (exponentials == exponentials_kept) {
    Terms<vectors, kInShared, kInShared == 0 ? vectors : 2, block_size> terms;
    const Found found = meeting.of_row(terms.calculate(kept, edge));
    terms.write_all(found, [&](auto i, const auto& of_vector, float multiplier) {
      const int vector = share.begin + i.value * block_size + static_cast<int>(threadIdx.x);
      if (vector < share.end) row.write_terms(vector, of_vector, multiplier);
    });
    row.write_edge(edge, found.largest, 1.0f / found.sum);
  } else {
    const Found found = meeting.of_row(of_thread(kept, edge));
    const float inverse = 1.0f / found.sum;
    repeat<vectors>([&](auto i) {
      const int vector = share.begin + i.value * block_size + static_cast<int>(threadIdx.x);
      if (vector < share.end) row.write(vector, kept.template get<i.value>(), found.largest, inverse);
    });
    row.write_edge(edge, found.largest, inverse);
  }
}
