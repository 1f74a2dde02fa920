void copy_reference(const double* in, double* out, unsigned long long n) {
  for (unsigned long long i = 0; i < n; ++i) out[i] = in[i];
}
