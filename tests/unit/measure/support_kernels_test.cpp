// The GPU's support kernels, compiled for the host and run a thread at a time, against device/generator.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <tuple>

#include "core/number.h"
#include "device/generator.h"
#include "device/host_fill.h"

namespace gpu {

struct Index {
  unsigned x = 0;
};
Index blockIdx, threadIdx, blockDim, gridDim;

float __fmaf_rn(float a, float b, float c) { return std::fmaf(a, b, c); }
float __fmul_rn(float a, float b) { return a * b; }
float __fsub_rn(float a, float b) { return a - b; }
double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
int __float2int_rn(float v) { return static_cast<int>(std::nearbyint(v)); }
float __uint_as_float(unsigned bits) {
  float v = 0;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
unsigned __float_as_uint(float v) {
  unsigned bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}
double __ll2double_rn(long long v) { return static_cast<double>(v); }
int __ffsll(long long v) { return __builtin_ffsll(v); }
// Each thread runs alone, so its neighbours have nothing to add; every one counts as the first of its warp.
unsigned long long __shfl_xor_sync(unsigned, unsigned long long, int) { return 0; }
void atomicAdd(unsigned long long* to, unsigned long long v) { *to += v; }
void atomicMin(unsigned long long* to, unsigned long long v) { *to = std::min(*to, v); }
unsigned short tuner_host_half(float v) { return tuner::to_f16(static_cast<double>(v)); }

#define TUNER_HOST 1
#define __global__
#define __device__
#define __forceinline__ inline
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "../../../kernel_templates/support/support.cu"
#pragma GCC diagnostic pop

// Every thread of `blocks` blocks; with 1 thread a block every thread is the first of a warp.
template <class Kernel>
void launch(unsigned blocks, Kernel kernel) {
  gridDim.x = blocks;
  blockDim.x = 1;
  for (blockIdx.x = 0; blockIdx.x < blocks; ++blockIdx.x) kernel();
}

}  // namespace gpu

namespace tuner::measure {
namespace {

using device::checksum;
using device::generated_bytes;

constexpr Type kTypes[] = {Type::f64,     Type::f32,     Type::f16,     Type::bf16, Type::i8,  Type::u8,
                           Type::i16,     Type::u16,     Type::i32,     Type::u32,  Type::i64, Type::u64,
                           Type::f8_e4m3, Type::f8_e5m2, Type::boolean, Type::i4,   Type::u4};

std::vector<std::byte> filled(const device::FillRequest& request) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(bytes_of(request.type, request.count)));
  gpu::launch(37, [&] {
    gpu::tuner_fill(bytes.data(), static_cast<unsigned long long>(request.count), request.seed,
                    static_cast<int>(request.type), request.exact ? -1 : static_cast<int>(request.kind),
                    request.magnitude, static_cast<float>(request.low), static_cast<float>(request.high));
  });
  return bytes;
}

TEST(SupportKernels, FillMakesTheHostsValuesToTheBit) {
  for (Type type : kTypes) {
    device::FillRequest request;
    request.type = type;
    request.count = 4099;
    request.seed = 0x1234567890abcdefull;
    for (int magnitude : {1, 3, 300}) {
      request.exact = true;
      request.magnitude = magnitude;
      EXPECT_EQ(filled(request), generated_bytes(request)) << to_text(type) << " exact " << magnitude;
    }
    request.exact = false;
    for (auto [low, high] : {std::pair{-1.0, 1.0}, std::pair{0.1, 0.7}, std::pair{-500.0, 70000.0}}) {
      request.low = low;
      request.high = high;
      EXPECT_EQ(filled(request), generated_bytes(request)) << to_text(type) << " uniform " << low << ".." << high;
    }
  }
}

// Every kind, in ranges that fit a type and in those that leave it.
TEST(SupportKernels, EveryKindOfFillIsTheHostsToTheBit) {
  using Kind = Fill::Kind;
  const std::tuple<Kind, double, double> fills[] = {
      {Kind::normal, 0, 1},         {Kind::normal, 100, 40},      {Kind::normal, -3e9, 1e9}, {Kind::uniform, 0, 1e19},
      {Kind::uniform, -3e38, 3e38}, {Kind::uniform, -1e10, 1e10}, {Kind::iota, 0, 1},        {Kind::iota, 7, -3},
      {Kind::iota, 0.5, 0.1},       {Kind::iota, 16777217, 1},    {Kind::iota, 0, 3e15},     {Kind::iota, 1e18, 1},
      {Kind::iota, 9e18, 1e18},     {Kind::uniform, 2.75, 2.75}};
  for (const Type type : kTypes)
    for (const auto& [kind, low, high] : fills) {
      device::FillRequest request;
      request.type = type;
      request.count = 2051;
      request.seed = 0xfedcba0987654321ull;
      request.kind = kind;
      request.low = low;
      request.high = high;
      const auto wanted = generated_bytes(request);
      EXPECT_EQ(filled(request), wanted) << to_text(type) << " " << static_cast<int>(kind) << " " << low << " " << high;
      std::vector<std::byte> host(wanted.size());
      device::host_fill(host.data(), request);
      EXPECT_EQ(host, wanted) << "host_fill: " << to_text(type) << " " << static_cast<int>(kind) << " " << low << " "
                              << high;
    }
}

TEST(SupportKernels, HostFillIsTheGeneratorsForExactValues) {
  for (const Type type : kTypes)
    for (const int magnitude : {1, 3}) {
      device::FillRequest request;
      request.type = type;
      request.count = 513;
      request.seed = 77;
      request.exact = true;
      request.magnitude = magnitude;
      std::vector<std::byte> host(static_cast<std::size_t>(bytes_of(type, request.count)));
      device::host_fill(host.data(), request);
      EXPECT_EQ(host, generated_bytes(request)) << to_text(type) << " " << magnitude;
    }
}

TEST(SupportKernels, ChecksumIsTheHostsAtEveryAlignmentAndSize) {
  device::FillRequest request;
  request.type = Type::u8;
  request.count = 400;
  request.low = 0;
  request.high = 256;
  alignas(16) std::byte buffer[400];
  const auto bytes = generated_bytes(request);
  std::memcpy(buffer, bytes.data(), bytes.size());
  for (std::size_t shift : {0, 1, 2, 4, 8, 15})
    for (std::size_t size : {0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 100, 383}) {
      unsigned long long sum = 0;
      gpu::launch(5, [&] { gpu::tuner_checksum(reinterpret_cast<const unsigned char*>(buffer) + shift, size, &sum); });
      EXPECT_EQ(sum, checksum(std::span<const std::byte>(buffer + shift, size))) << shift << " + " << size;
    }
}

TEST(SupportKernels, FirstNotFindsTheFirstByteThatDiffers) {
  alignas(16) unsigned char buffer[160];
  for (std::size_t shift : {0, 1, 3, 8, 15})
    for (std::size_t size : {1, 5, 16, 31, 33, 100})
      for (std::size_t at = 0; at <= size; ++at) {
        std::memset(buffer, 0x5A, sizeof buffer);
        std::memset(buffer + shift, 0xFE, size);
        if (at < size) buffer[shift + at] = 0xFF;
        if (at + 7 < size) buffer[shift + at + 7] = 0;  // a later one must not win
        unsigned long long first = ~0ull;
        gpu::launch(3, [&] { gpu::tuner_first_not(buffer + shift, size, 0xFE, &first); });
        EXPECT_EQ(static_cast<long long>(first), at < size ? static_cast<long long>(at) : -1ll)
            << shift << " + " << size;
      }
}

}  // namespace
}  // namespace tuner::measure
