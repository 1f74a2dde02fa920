// What vec can do beside sharing rows out: rows of one length (fixed_n), x in shared memory (x_from), and pieces of
// rows that blocks add up in the end (split_k). Part of gemv.cu.

// Constants that are no objects: binaries without these parameters are what they would be without this file.
enum : int {
#if defined(fixed_n)
  kFixed = fixed_n,  // the only length of rows; 0: any
#else
  kFixed = 0,
#endif
#if defined(split_k)
  kSplit = split_k  // blocks that share a row: those of one blockIdx.x
#else
  kSplit = 1
#endif
};
enum : bool {
#if defined(x_from) && x_from == x_from_shared
  kStaged = true,
#else
  kStaged = false,
#endif
// The weights of a first turn are in flight before anything of x is asked for.
#ifdef TUNER_DEPENDENT
  kWeightsFirst = true
#else
  kWeightsFirst = kStaged
#endif
};

// The part of a row that this block has, in vectors or in elements.
struct Piece {
  unsigned int begin, end;

  // Of `count`; begins at a multiple of 8.
  __device__ __forceinline__ explicit Piece(unsigned int count) : begin(0), end(count) {
    if constexpr (kSplit > 1) {
      const unsigned int each = ((count + kSplit - 1) / kSplit + 7) / 8 * 8;
      begin = min(count, blockIdx.y * each);
      end = min(count, begin + each);
    }
  }
};

#if defined(split_k) && split_k > 1

// The sums of every piece: kGroups groups of kRows x kColumns for each block, the blocks of a piece beside each other.
__device__ __forceinline__ float* sums_of(float* acc, unsigned int piece) {
  constexpr int sums = kRows * kColumns;
  return acc + ((static_cast<long long>(piece) * gridDim.x + blockIdx.x) * kGroups + threadIdx.x / kLanes) * sums;
}

// Leaves what the block has of its rows. True in the last of the blocks that share them, which then sees what all have
// left, and has set `ticket` back for the next launch. Every thread of the block calls it.
__device__ __forceinline__ bool leave_piece(float* acc, unsigned int* ticket, const Sums& sum) {
  __shared__ float partial[block_size / 32][kRows * kColumns];
  __shared__ bool last;
  const int warp = threadIdx.x / 32, group = threadIdx.x / kLanes;
  if (threadIdx.x % 32 == 0) {
#pragma unroll
    for (int i = 0; i < kRows * kColumns; ++i) partial[warp][i] = sum[i / kColumns][i % kColumns];
  }
  __syncthreads();
  wait_for_predecessor();
  float* const to = sums_of(acc, blockIdx.y);
#pragma unroll 1
  for (int i = threadIdx.x % kLanes; i < kRows * kColumns; i += kLanes) {
    float total = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) total += partial[group * kWarps + w][i];
    to[i] = total;
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(ticket, 1u) == kSplit - 1;
    if (last) *ticket = 0;
    __threadfence();
  }
  __syncthreads();
  return last;
}

// Adds the pieces of a group in their order and stores kValues x kColumns results.
__device__ __forceinline__ void store_pieces(float* acc, const Result& result, int row) {
#pragma unroll 1
  for (int i = threadIdx.x % kLanes; i < kValues * kColumns; i += kLanes) {
    const int value = i / kColumns, column = i % kColumns;
    Made made = {};
#pragma unroll
    for (int piece = 0; piece < kSplit; ++piece) {
      const volatile float* const from = sums_of(acc, piece) + value * kMade * kColumns + column;
#pragma unroll
      for (int r = 0; r < kMade; ++r) made[r] += from[r * kColumns];
    }
    result.store(column, row + value, made);
  }
}

#endif
