// The exponentials of a thread's elements, calculated once and kept in fp32. Part of softmax.cu.
//
// They belong to the largest element that the thread had seen by then: that of the row is not known yet. `group`
// vectors have it in common. The first `in_shared` of `count` vectors leave theirs where they were themselves and,
// where they are twice as many bytes, as far behind that as `in_shared` vectors reach.
template <int count, int in_shared, int group, int threads>
class Terms {
 public:
  // edge_value: -inf where the thread has none.
  template <class Kept>
  __device__ __forceinline__ Found calculate(Kept& kept, float edge_value) {
    own_ = kept.own;
    Found found = {scaled(edge_value), 0.0f};
    repeat<kGroups>([&](auto g) {
      constexpr int first = g.value * group, size = size_of(first);
      Vector<16> held[size];
      repeat<size>([&](auto i) {
        kept.template await<first + i.value>();
        held[i.value] = kept.template get<first + i.value>();
      });
      Largest largest(held[0]);
#pragma unroll
      for (int i = 1; i < size; ++i) largest.add(held[i]);
      const float before = found.largest;
      found.largest = fmaxf(before, scaled(largest.get()));
      belong_to_[g.value] = found.largest;
      const float to = subtrahend(found.largest);
      found.sum = first == 0 ? term(edge_value, to) : found.sum * factor(before, to);
      repeat<size>([&](auto i) {
        float terms[kPer];
        unpacked(held[i.value], terms);
        to_terms(terms, to);
        found.sum += sum_of(terms);
        set<first + i.value>(terms);
      });
    });
    return found;
  }
  // Calls write(Constant<i>, terms of vector i, what makes them results) for each, where the row has found `all`. Terms
  // that belong to -inf are 0.
  template <class Write>
  __device__ __forceinline__ void write_all(const Found& all, const Write& write) const {
    const float inverse = 1.0f / all.sum;
    repeat<kGroups>([&](auto g) {
      constexpr int first = g.value * group;
      const float multiplier = factor(belong_to_[g.value], all.largest) * inverse;
      repeat<size_of(first)>([&](auto i) {
        float terms[kPer];
        get<first + i.value>(terms);
        write(Constant<first + i.value>(), terms, multiplier);
      });
    });
  }

 private:
  static constexpr int kGroups = (count + group - 1) / group;
  static constexpr int kQuarters = kPer / 4;  // vectors that the terms of one take

  __device__ static constexpr int size_of(int first) { return first + group <= count ? group : count - first; }

  template <int i>
  __device__ __forceinline__ void set(const float (&terms)[kPer]) {
#pragma unroll
    for (int at = 0; at < kPer; ++at) {
      if constexpr (i >= in_shared) held_[i - in_shared][at] = terms[at];
    }
    if constexpr (i < in_shared) {
#pragma unroll
      for (int q = 0; q < kQuarters; ++q) {
        Vector<16> four;
#pragma unroll
        for (int at = 0; at < 4; ++at) four.word[at] = float_to_bits(terms[4 * q + at]);
        store_own(own_ + (q * in_shared + i) * threads * 16, four);
      }
    }
  }
  template <int i>
  __device__ __forceinline__ void get(float (&terms)[kPer]) const {
#pragma unroll
    for (int at = 0; at < kPer; ++at) {
      if constexpr (i >= in_shared) terms[at] = held_[i - in_shared][at];
    }
    if constexpr (i < in_shared) {
#pragma unroll
      for (int q = 0; q < kQuarters; ++q) {
        const Vector<16> four = load_own(own_ + (q * in_shared + i) * threads * 16);
#pragma unroll
        for (int at = 0; at < 4; ++at) terms[4 * q + at] = bits_to_float(four.word[at]);
      }
    }
  }

  float held_[count > in_shared ? count - in_shared : 1][kPer];
  float belong_to_[kGroups];
  char* own_;
};
