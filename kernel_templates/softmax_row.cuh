// Where a block's row is, and how its elements are read and written. Part of softmax.cu.
#if variant == variant_naive
constexpr bool kStreams = false;
#else
constexpr bool kStreams = store_hint == store_hint_streaming;
#endif

// The edges of a row are taken by the first threads of its first block, one each.
struct Row {
  const X* x;
  Y* y;
  RowCut<X> cut;
  bool aligned;  // whole vectors may be stored as such
  int edge = -1;

  __device__ __forceinline__ Row(const X* all_x, Y* all_y, int64_t row, int part, int C, int64_t row_stride)
      : x(all_x + row * row_stride), y(all_y + row * C), cut(x, C) {
    aligned = takes_vectors<kPer>(y + cut.before);
    if (part == 0 && static_cast<int>(threadIdx.x) < cut.edges) edge = cut.edge_at(threadIdx.x);
  }
  __device__ __forceinline__ const char* vectors_begin() const { return reinterpret_cast<const char*>(x + cut.before); }
  // -inf where it has none.
  __device__ __forceinline__ float edge_value() const { return edge < 0 ? -infinity() : to_float(x[edge]); }
  __device__ __forceinline__ void write_edge(float value, float largest, float inverse) const {
    if (edge >= 0) y[edge] = from_float<Y>(term(value, largest) * inverse);
  }
  __device__ __forceinline__ void write(int vector, const Vector<16>& v, float largest, float inverse) const {
    float values[kPer];
    unpacked(v, values);
    to_terms(values, largest);
    write_terms(vector, values, inverse);
  }
  __device__ __forceinline__ void write_terms(int vector, const float (&terms)[kPer], float multiplier) const {
    float values[kPer];
#pragma unroll
    for (int i = 0; i < kPer; ++i) values[i] = terms[i] * multiplier;
    store_elements<kStreams>(y + cut.before + static_cast<int64_t>(vector) * kPer, values, aligned);
  }
};
