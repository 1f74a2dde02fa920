// The sum of every `per_block` floats; the last may be fewer.
void block_sums(const double* in, double* out, int N, int per_block) {
  for (int first = 0; first < N; first += per_block) {
    double sum = 0;
    for (int i = first; i < N && i < first + per_block; ++i) sum += in[i];
    out[first / per_block] = sum;
  }
}
