// What becomes of the sums: y = A x; with the fact `residual`, y = A x + beside, which is a bias or as large as y; with
// GEMV_SWIGLU, y = silu(gate) up, where A has the M rows of the gate and then those of `up`. Part of gemv.cu.
#if defined(FACT_residual)
#define GEMV_MORE , const Element *TUNER_ACTIVATION beside, int, int
#define GEMV_RESULT \
  Result { y, M, beside }
#elif defined(GEMV_SWIGLU)
#define GEMV_MORE , int
#define GEMV_RESULT \
  Result { y, M }
#else
#define GEMV_MORE
#define GEMV_RESULT \
  Result { y, M }
#endif

#define GEMV_ARGUMENTS                                                                                           \
  const Element *__restrict__ A, const Element *TUNER_ACTIVATION x, Output *__restrict__ y, float *__restrict__ acc, \
      int M, int N, long long row_stride GEMV_MORE

#ifdef GEMV_SWIGLU
constexpr int kMade = 2;  // rows of A that a value of y is made of
#else
constexpr int kMade = 1;
#endif
using Made = float[kMade];

// Where the rows of a group are, in elements from its first: those that one value is made of stand beside each other.
struct Rows {
  long long stride;
  long long up;  // from a row of the gate to that of `up`

  __device__ __forceinline__ Rows(int M, long long row_stride) : stride(row_stride), up(M * row_stride) {}
  __device__ __forceinline__ long long operator[](int r) const {
    if constexpr (kMade == 1) return r * stride;
    return r / kMade * stride + r % kMade * up;
  }
};

struct Result {
  Output* y;
  int M;
#ifdef FACT_residual
  const Element* beside;
#endif

  __device__ __forceinline__ void store(int column, int row, const Made& sum) const {
    const long long at = static_cast<long long>(column) * M + row;
#if defined(FACT_residual)
    y[at] = from_float<Output>(sum[0] + to_float(beside[FACT_residual ? at : row]));
#elif defined(GEMV_SWIGLU)
    y[at] = from_float<Output>(sum[0] / (1 + exp2f(-1.4426950408889634f * sum[0])) * sum[1]);
#else
    y[at] = from_float<Output>(sum[0]);
#endif
  }
};
