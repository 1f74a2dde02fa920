void vector_add_reference(double* c, const double* a, const double* b, int n) {
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
