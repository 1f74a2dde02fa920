// The exponentials of a thread's elements, calculated once and kept in fp32. Part of softmax.cu.
// They belong to the largest element of the thread: that of the row is not known yet.
template <int count>
struct Terms {
  float of[count][kPer];
  float edge;

  // `get` gives vector Constant<i>.
  template <class Get>
  __device__ __forceinline__ Found calculate(const Get& get, float edge_value) {
    Vector<16> held[count];
    repeat<count>([&](auto i) { held[i.value] = get(i); });
    Largest largest(held[0]);
#pragma unroll
    for (int i = 1; i < count; ++i) largest.add(held[i]);
    Found found;
    found.largest = scaled(fmaxf(edge_value, largest.get()));
    const float to = subtrahend(found.largest);
    found.sum = edge = term(edge_value, to);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      unpacked(held[i], of[i]);
      to_terms(of[i], to);
      found.sum += sum_of(of[i]);
    }
    return found;
  }
  // What makes them results, where the thread has found `own` and its row `all`. Where `own` is of nothing but -inf, it
  // is 0.
  __device__ __forceinline__ float multiplier(const Found& own, const Found& all) const {
    return factor(own.largest, all.largest) * (1.0f / all.sum);
  }
};
