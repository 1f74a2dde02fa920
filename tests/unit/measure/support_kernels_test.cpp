// The GPU's support kernels, run on the host a thread at a time, against the host's own halves: device/generator.h and
// measure/judge.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <tuple>

#include "core/number.h"
#include "device/generator.h"
#include "device/host_fill.h"
#include "measure/judge.h"
#include "unit/measure/support_on_host.h"

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

TEST(SupportKernels, FeedMakesTheHostsSmallIntegers) {
  const std::vector<double> values{0, 1, -1, 2.5, 3, 4, 5, 6, -7, 1500, 65504, std::nan(""), INFINITY};
  for (const Type from : {Type::f64, Type::f32, Type::f16, Type::bf16})
    for (const Type to : {Type::f64, Type::f32, Type::f16, Type::bf16})
      for (const int magnitude : {1, 3}) {
        std::vector<std::byte> held(static_cast<std::size_t>(bytes_of(from, 13)));
        encode_all(from, values, held.data());
        std::vector<double> wanted(40);
        const std::vector<double> before = decoded(from, held);
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = device::small_of(before[i % 13], magnitude);
        std::vector<std::byte> fed(static_cast<std::size_t>(bytes_of(to, 40)));
        gpu::launch(3, [&] {
          gpu::tuner_feed(fed.data(), 40, static_cast<int>(to), held.data(), 13, static_cast<int>(from), magnitude, 0);
        });
        EXPECT_EQ(decoded(to, fed), wanted) << to_text(from) << " to " << to_text(to);
        for (const double value : wanted) EXPECT_TRUE(value != 0 && std::fabs(value) <= magnitude) << value;
      }
}

TEST(SupportKernels, LeaveCopiesOrSets) {
  unsigned char from[5] = {1, 2, 3, 4, 5}, to[6] = {9, 9, 9, 9, 9, 9};
  gpu::launch(2, [&] { gpu::tuner_leave(to, from, 5, 0, 0); });
  EXPECT_EQ(std::vector<int>(to, to + 6), (std::vector<int>{1, 2, 3, 4, 5, 9}));
  gpu::launch(2, [&] { gpu::tuner_leave(to, nullptr, 5, 0xff, 0); });
  EXPECT_EQ(std::vector<int>(to, to + 6), (std::vector<int>{255, 255, 255, 255, 255, 9}));
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

// A result near its reference, and the reference.
struct Compare {
  Reference reference;
  std::vector<std::byte> out;

  Compare(Type type, std::int64_t count)
      : reference{"y", type, {}, {}}, out(static_cast<std::size_t>(bytes_of(type, count))) {
    device::FillRequest request;
    request.type = type;
    request.count = count;
    request.seed = 7;
    request.low = -100;
    request.high = 120;
    const std::vector<double> values = decoded(type, generated_bytes(request));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double magnitude = std::fabs(values[i]) + static_cast<double>(i % 7);
      const double near = values[i] * (1 + 1e-4 * static_cast<double>(i % 11));
      reference.value.push_back(is_floating(type) ? near : values[i]);
      reference.magnitude.push_back(magnitude);
    }
    measure_largest(reference);
    encode_all(type, values, out.data());
  }

  device::Compared found(const Expectation& expected) const {
    const auto address = [](const void* at) { return reinterpret_cast<device::Address>(at); };
    return compare_on_host({reference.type, static_cast<std::int64_t>(reference.value.size()), address(out.data()),
                            address(reference.value.data()), address(reference.magnitude.data()), expected.tolerance});
  }
};

TEST(SupportKernels, CompareJudgesAsTheHostDoes) {
  int right = 0, wrong = 0;
  for (const Type type : kTypes) {
    if (!device::can_compare(type)) continue;
    const Compare compare(type, 70001);
    for (const ErrorBound& bound : {ErrorBound{}, ErrorBound{ErrorBound::Kind::stated, 1.5e-3, 1e-3},
                                    ErrorBound{ErrorBound::Kind::stated, 4e-4, 0}})
      for (const std::int64_t chain : {1, 10000, 40000}) {
        const Expectation expected = expect_within(compare.reference, bound, chain, 1);
        const Judgement judged = judge(expected, compare.out);
        const device::Compared found = compare.found(expected);
        EXPECT_EQ(found.outside == 0, judged.ok()) << to_text(type) << " " << chain << ": " << judged.detail;
        ++(found.outside == 0 ? right : wrong);
        if (found.outside == 0) {
          const Judgement same = judged_by_device(expected, found);
          EXPECT_EQ(same.max_err_over_bound, judged.max_err_over_bound) << to_text(type) << " " << chain;
          EXPECT_EQ(same.max_rel_err, judged.max_rel_err) << to_text(type) << " " << chain;
        } else {
          EXPECT_NE(judged.detail.find(std::to_string(found.outside) + " of 70001 wrong"), std::string::npos)
              << to_text(type) << " " << chain << ": " << judged.detail << ", " << found.outside;
        }
      }
  }
  EXPECT_GT(right, 20);
  EXPECT_GT(wrong, 20);
}

// Every code of the narrow types, NaN and infinities among them.
TEST(SupportKernels, WidenDecodesAsTheHostDoes) {
  for (const Type type : kTypes) {
    if (!is_floating(type)) continue;
    std::vector<std::byte> bytes(1 << 17);
    for (std::size_t i = 0; i < bytes.size() / 2; ++i) {
      const auto code = static_cast<std::uint16_t>(i);
      std::memcpy(bytes.data() + 2 * i, &code, 2);
    }
    const auto count = bytes.size() / static_cast<std::size_t>(size_of(type));
    for (const bool absolute : {false, true}) {
      std::vector<double> gpu_values(count), host_values(count);
      gpu::launch(5, [&] {
        gpu::tuner_widen(gpu_values.data(), bytes.data(), count, static_cast<int>(type), absolute ? 1 : 0);
      });
      device::host_widen(host_values, bytes.data(), type, absolute);
      const std::vector<double> wanted = decoded(type, bytes);
      for (std::size_t i = 0; i < count; ++i) {
        const double value = absolute ? std::fabs(wanted[i]) : wanted[i];
        ASSERT_TRUE(gpu_values[i] == value || (std::isnan(gpu_values[i]) && std::isnan(value))) << to_text(type) << i;
        ASSERT_TRUE(host_values[i] == value || (std::isnan(host_values[i]) && std::isnan(value))) << to_text(type) << i;
      }
    }
  }
}

TEST(SupportKernels, CompareFindsOneWrongElementAnywhere) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{35000}, std::size_t{70000}})
    for (const float value : {1e9F, std::nanf(""), -INFINITY}) {
      Compare compare(Type::f32, 70001);
      const Expectation expected = expect_within(compare.reference, {ErrorBound::Kind::stated, 2e-3, 1e-3}, 0, 1);
      ASSERT_EQ(compare.found(expected).outside, 0);
      std::memcpy(compare.out.data() + at * 4, &value, 4);
      EXPECT_EQ(compare.found(expected).outside, 1) << at << " " << value;
      EXPECT_EQ(judge(expected, compare.out).detail.find("y[" + std::to_string(at) + "] is "), 0U);
    }
}

}  // namespace
}  // namespace tuner::measure
