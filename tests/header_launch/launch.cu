// Launches the kernel that an exported header answers with, from that header and the rendered source alone, and checks
// every output against a double-precision reference. Built by scripts/check_header_on_gpu.sh.
#include <cstdio>
#include <cstdlib>
#include <vector>

// The header first: the rendered source begins with macros named like the parameters.
#include "tuner_best.h"

#include "kernel.cu"

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

// -3..3 without 0, exact in every format and in every partial sum of up to 1.8 million terms.
int small_integer(unsigned long long i) {
  i ^= i >> 31;
  i *= 0xD6E8FEB86659FD93ull;
  i ^= i >> 32;
  const int magnitude = 1 + static_cast<int>(i % 3);
  return i & 8 ? -magnitude : magnitude;
}

unsigned short half_bits(int v) {
  constexpr unsigned short bits[4] = {0, 0x3C00, 0x4000, 0x4200};
  return static_cast<unsigned short>(bits[v < 0 ? -v : v] | (v < 0 ? 0x8000 : 0));
}

double value_of(unsigned short h) {
  const int exponent = (h >> 10) & 31, mantissa = h & 1023;
  const double magnitude =
      exponent ? (1024 + mantissa) * __builtin_ldexp(1.0, exponent - 25) : mantissa * __builtin_ldexp(1.0, -24);
  return h & 0x8000 ? -magnitude : magnitude;
}

// To the nearest half, ties to even; `v` is a whole number below 65504.
double rounded_to_half(double v) {
  const double magnitude = v < 0 ? -v : v;
  double step = 1;
  while (magnitude >= 2048 * step) step *= 2;
  return __builtin_nearbyint(v / step) * step;
}

template <class T>
T* device_copy(const std::vector<T>& values) {
  T* at = nullptr;
  check(cudaMalloc(&at, values.size() * sizeof(T)), "allocate");
  check(cudaMemcpy(at, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
  return at;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: launch GPU M N\n"), 2;
  const long long dims[2] = {std::atoll(argv[2]), std::atoll(argv[3])};
  const auto choice = tuner_export::find(argv[1], "gemv_f16", dims, 2, nullptr, 0, "plain");
  if (choice.match != tuner_export::Match::exact || choice.step_count != 1)
    return std::fprintf(stderr, "the header has no exact answer of one launch\n"), 3;
  const auto& step = choice.steps[0];
  const std::size_t M = static_cast<std::size_t>(dims[0]), N = static_cast<std::size_t>(dims[1]);
  std::vector<unsigned short> a(M * N), x(N), y(M, 0xFFFF);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = half_bits(small_integer(i));
  for (std::size_t i = 0; i < N; ++i) x[i] = half_bits(small_integer(i + (1ull << 40)));
  auto* da = device_copy(a);
  auto* dx = device_copy(x);
  auto* dy = device_copy(y);
  float* acc = nullptr;
  check(cudaMalloc(&acc, M * sizeof(float)), "allocate");
  const dim3 grid(static_cast<unsigned>(step.grid.x), static_cast<unsigned>(step.grid.y),
                  static_cast<unsigned>(step.grid.z));
  const dim3 block(static_cast<unsigned>(step.block.x), static_cast<unsigned>(step.block.y),
                   static_cast<unsigned>(step.block.z));
  gemv<<<grid, block, static_cast<std::size_t>(step.shared_bytes)>>>(
      reinterpret_cast<const half_t*>(da), reinterpret_cast<const half_t*>(dx), reinterpret_cast<half_t*>(dy), acc,
      static_cast<int>(M), static_cast<int>(N), dims[1]);
  check(cudaGetLastError(), "launch");
  check(cudaMemcpy(y.data(), dy, M * sizeof(unsigned short), cudaMemcpyDeviceToHost), "run");
  std::size_t wrong = 0;
  for (std::size_t m = 0; m < M; ++m) {
    double sum = 0;
    for (std::size_t n = 0; n < N; ++n) sum += value_of(a[m * N + n]) * value_of(x[n]);
    if (value_of(y[m]) != rounded_to_half(sum) && ++wrong == 1)
      std::fprintf(stderr, "y[%zu] is %g, expected %g\n", m, value_of(y[m]), rounded_to_half(sum));
  }
  std::printf("gemv_f16 %zux%zu grid %u block %u: %zu of %zu wrong\n", M, N, grid.x, block.x, wrong, M);
  return wrong != 0;
}
