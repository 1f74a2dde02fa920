// The host device without a kernel: values, checksums, memory.
#include <gtest/gtest.h>

#include <signal.h>

#include <array>
#include <cstring>
#include <stdexcept>

#include "device/device.h"
#include "device/generator.h"
#include "device/host_fill.h"
#include "device/host_memory.h"

namespace tuner::device {
namespace {

template <class T>
std::vector<T> filled(FillRequest request) {
  const auto device = open_host();
  const auto address = device->allocate(request.count * size_of(request.type));
  device->fill(address, request);
  std::vector<T> values(static_cast<std::size_t>(request.count));
  device->download(address, std::as_writable_bytes(std::span(values)));
  return values;
}

TEST(HostFill, ExactValuesAreSmallIntegersWithoutZero) {
  const auto values = filled<float>({Type::f32, 10000, 5, true, 3});
  std::array<int, 7> seen{};
  for (const float v : values) ++seen.at(static_cast<std::size_t>(v + 3));
  EXPECT_EQ(seen[3], 0);
  for (const int i : {0, 1, 2, 4, 5, 6}) EXPECT_NEAR(seen[static_cast<std::size_t>(i)], 10000 / 6, 200) << i - 3;
  const auto integers = filled<std::int8_t>({Type::i8, 10000, 5, true, 3});
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<float>(integers[i]));
}

TEST(HostFill, ValuesAndChecksumsArePinned) {
  // Computed apart, from h = mix(seed ^ index * 0x9E3779B97F4A7C15) and -1 + 2 * (h >> 40) / 2^24.
  const auto values = filled<float>({Type::f32, 4, 1, false, 3, -1, 1});
  const std::array<float, 4> wanted{-0x1.f432800000000p-2f, 0x1.dd88b40000000p-1f, 0x1.3a661c0000000p-1f,
                                    -0x1.d3954c0000000p-1f};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(values[i], wanted[i]) << i;
  const auto halves = filled<std::uint16_t>({Type::f16, 4, 1, false, 3, -1, 1});
  const std::array<std::uint16_t, 4> wanted_halves{0xb7d1, 0x3b76, 0x38ea, 0xbb4e};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(halves[i], wanted_halves[i]) << i;
  const std::string text = "what is summed, 21 B.";
  EXPECT_EQ(checksum(std::as_bytes(std::span(text))), 0xd31aad9f3eefb90du);
}

TEST(HostFill, RoundsHalvesToNearestEven) {
  const auto at = [](double value) { return filled<std::uint16_t>({Type::f16, 1, 1, false, 3, value, value})[0]; };
  EXPECT_EQ(at(1), 0x3c00);
  EXPECT_EQ(at(-2), 0xc000);
  EXPECT_EQ(at(1 + 0x1p-11), 0x3c00);
  EXPECT_EQ(at(1 + 0x3p-11), 0x3c02);
  EXPECT_EQ(at(65504), 0x7bff);
  EXPECT_EQ(at(65520), 0x7c00);
  EXPECT_EQ(at(0x1p-24), 0x0001);
  EXPECT_EQ(at(0x1p-25), 0x0000);
  EXPECT_EQ(at(-0x3p-25), 0x8002);
  EXPECT_EQ(at(0x1p-14), 0x0400);
}

TEST(HostDeviceMemory, ChecksumSeesPositionAndTail) {
  const auto device = open_host();
  const auto a = device->allocate(37), b = device->allocate(37);
  device->fill(a, {Type::u8, 37, 9, true, 100});
  device->copy(b, a, 37);
  EXPECT_EQ(device->checksum(a, 37), device->checksum(b, 37));
  device->set(b + 36, 0, 1);
  EXPECT_NE(device->checksum(a, 37), device->checksum(b, 37));
  std::vector<std::byte> bytes(16);
  bytes[0] = std::byte{1};
  auto swapped = bytes;
  std::swap(swapped[0], swapped[8]);
  EXPECT_NE(checksum(bytes), checksum(swapped));
}

TEST(HostDeviceMemory, FindsTheFirstByteThatDiffers) {
  const auto device = open_host();
  const auto a = device->allocate(1000);
  device->set(a, 0xff, 1000);
  EXPECT_EQ(device->first_not(a, 0xff, 1000), -1);
  device->set(a + 777, 0x7f, 1);
  EXPECT_EQ(device->first_not(a, 0xff, 1000), 777);
  EXPECT_EQ(device->first_not(a, 0, 1000), 0);
}

TEST(HostDeviceMemory, BuffersLieAgainstInaccessibleMemory) {
  HostMemory memory;
  const auto start = memory.allocate(100, Placement::starts_at_fault);
  const auto end = memory.allocate(100, Placement::ends_at_fault);
  EXPECT_EQ(start % 4096, 0u);
  EXPECT_EQ((end + 100) % 4096, 0u);
  const auto touch = [](Address address) { *reinterpret_cast<volatile char*>(address) = 1; };
  EXPECT_EXIT(touch(start - 1), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(touch(end + 100), testing::KilledBySignal(SIGSEGV), "");
  touch(start);
  touch(end + 99);
  EXPECT_EQ(memory.around(end + 100 + 5000)->address, end);
  EXPECT_EQ(memory.around(start - 5000)->address, start);
  EXPECT_FALSE(memory.around(16).has_value());
  memory.release(end);
  EXPECT_FALSE(memory.around(end).has_value());
}

TEST(HostDeviceFacts, LooksLikeAnSm90AndHasNoTimes) {
  const auto device = open_host();
  EXPECT_EQ(device->facts().name, "host");
  EXPECT_EQ(device->facts().arch, 90);
  EXPECT_EQ(device->facts().shared_max, 232448);
  EXPECT_GT(device->facts().sm_count, 0);
  EXPECT_TRUE(device->emulated());
  EXPECT_GT(device->free_bytes(), 0);
  EXPECT_THROW(device->record({}, {}), std::logic_error);
  EXPECT_THROW(device->replay({}, Clock::now()), std::logic_error);
}

TEST(HostDeviceFacts, AModuleThatIsNoneIsAnError) {
  const auto device = open_host();
  Artifact artifact;
  artifact.image = "/nowhere/module.so";
  EXPECT_THROW(device->load(artifact), MachineError);
  artifact.image = "libm.so.6";
  EXPECT_THROW(device->load(artifact), MachineError);
}

}  // namespace
}  // namespace tuner::device
