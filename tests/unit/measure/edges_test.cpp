// Which elements of a row are edges, and where raise_edges puts its value.
#include "measure/edges.h"

#include <gtest/gtest.h>

#include <set>

#include "core/number.h"

namespace tuner::measure {
namespace {

TEST(Edges, AreWhereVectorsWarpsAndPartsBeginAndEnd) {
  EXPECT_TRUE(edges_of_row(0).empty());
  EXPECT_EQ(edges_of_row(1), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(edges_of_row(3), (std::vector<std::int64_t>{0, 1, 2}));
  const auto list = edges_of_row(10000);
  const std::set<std::int64_t> edges(list.begin(), list.end());
  EXPECT_EQ(edges.size(), list.size());
  EXPECT_LT(edges.size(), 100u);
  for (const std::int64_t edge :
       {0, 7, 8, 255, 256, 8191, 8192, 9999, 9998, 9992, 9991, 624, 625, 4999, 5000, 9374, 9375})
    EXPECT_EQ(edges.count(edge), 1u) << edge;
  for (const std::int64_t inside : {3000, 100, 9000, 5003}) EXPECT_EQ(edges.count(inside), 0u) << inside;
}

TEST(Edges, AreRaisedInRowsThatAreApart) {
  const auto device = device::open_host();
  Argument argument;
  argument.type = Type::f16;
  argument.elements = 100 * 44;
  argument.fill.edge = 12;
  const auto address = device->allocate(argument.bytes());
  device->set(address, 0, argument.bytes());
  raise_edges(*device, address, argument, {2, 50, 40});
  std::vector<std::byte> bytes(static_cast<std::size_t>(argument.bytes()));
  device->download(address, bytes);
  const auto values = decoded(argument.type, bytes);
  const auto list = edges_of_row(40);
  const std::set<std::int64_t> edges(list.begin(), list.end());
  for (std::int64_t i = 0; i < argument.elements; ++i) {
    const std::int64_t row = i / 44;
    const bool raised = (row < 32 || row >= 68) && edges.count(i % 44) != 0;
    ASSERT_EQ(values[static_cast<std::size_t>(i)], raised ? 12 : 0) << i;
  }
}

}  // namespace
}  // namespace tuner::measure
