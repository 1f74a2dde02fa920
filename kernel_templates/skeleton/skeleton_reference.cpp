// The right result, in double precision: the kernel's arguments in its order, floats as doubles.
void skeleton_reference(const double *x, const double *b, double *y, double a, int n) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + b[i];
}
