// The host device against this layer's own generator and checksum.
#include <gtest/gtest.h>

#include "device/device.h"
#include "device/generator.h"
#include "measure/guarded.h"
#include "measure/prepared.h"
#include "unit/measure/workloads.h"

namespace tuner::measure {
namespace {

using device::checksum;
using device::generated_bytes;

TEST(HostDevice, FillsAndSumsAsTheGeneratorSays) {
  const auto device = device::open_host();
  for (const Type type : {Type::f64, Type::f32, Type::f16, Type::bf16, Type::i8, Type::u8, Type::i16, Type::u16,
                          Type::i32, Type::u32, Type::i64, Type::u64})
    for (const bool exact : {true, false})
      for (const double scale : {1.0, 1e-4, 3e-8}) {
        device::FillRequest request;
        request.type = type;
        request.count = 1003;
        request.seed = 5 + static_cast<std::uint64_t>(type);
        request.exact = exact;
        request.magnitude = exact && scale < 1 ? 2 : 3;
        request.low = is_floating(type) ? -scale : 0;
        request.high = is_floating(type) ? scale : 100;
        const auto expected = generated_bytes(request);
        const Block block(*device, static_cast<std::int64_t>(expected.size()));
        device->fill(block.address(), request);
        std::vector<std::byte> got(expected.size());
        device->download(block.address(), got);
        const bool is_unsigned = type == Type::u8 || type == Type::u16 || type == Type::u32 || type == Type::u64;
        if (!(exact && is_unsigned)) {
          EXPECT_EQ(got, expected) << to_text(type) << exact << scale;
        }
        EXPECT_EQ(device->checksum(block.address(), static_cast<std::int64_t>(got.size())), checksum(got));
      }
}

TEST(HostDevice, BuffersEndAndStartAtInaccessibleMemory) {
  const auto device = device::open_host();
  Workload w = gemv_workload(Type::f16, 7, 33);
  w.misalign_elements = 1;
  Prepared prepared(*device, w, {});
  ASSERT_EQ(prepared.placements(), 2);
  const Execution execution = gemv_execution(w);
  constexpr device::Address page = 4096;
  for (const auto& buffer : prepared.bind(execution, DataSet::exact, 0).buffers) {
    const device::Address end = buffer.memory->address() + static_cast<device::Address>(buffer.memory->bytes());
    EXPECT_LT((page - end % page) % page, 16u) << buffer.name;
  }
  for (const auto& buffer : prepared.bind(execution, DataSet::exact, 1).buffers)
    EXPECT_EQ(buffer.memory->address() % page, static_cast<device::Address>(size_of(buffer.type))) << buffer.name;
  for (int placement : {0, 1})
    for (const auto& buffer : prepared.bind(execution, DataSet::random, placement).buffers) {
      EXPECT_FALSE(buffer.memory->damage()) << buffer.name;
      const device::Address end = buffer.memory->address() + static_cast<device::Address>(buffer.memory->bytes());
      if (end % page != 0) {
        device->set(end, 0, 1);
        EXPECT_EQ(buffer.memory->damage(), buffer.memory->bytes()) << buffer.name;
        buffer.memory->set_guards();
      }
      device->set(buffer.memory->address() - 1, 0, 1);
      EXPECT_EQ(buffer.memory->damage(), -1) << buffer.name;
    }
}

}  // namespace
}  // namespace tuner::measure
