#include "device/arguments.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tuner::device {
namespace {

Argument buffer(const char* name) {
  Argument argument;
  argument.name = name;
  return argument;
}

Argument scalar(const char* name, Type type, std::int64_t value) {
  Argument argument;
  argument.name = name;
  argument.is_buffer = false;
  argument.type = type;
  argument.value = value;
  argument.real = static_cast<double>(value);
  return argument;
}

template <class T>
T at(const PackedArguments& packed, std::size_t i) {
  return *static_cast<T*>(packed.pointers.at(i));
}

TEST(Arguments, PointersFollowAMove) {
  PackedArguments packed = pack_arguments({buffer("x"), scalar("n", Type::i32, 7)}, {}, {0x1234, 0});
  const PackedArguments moved = std::move(packed);
  ASSERT_EQ(moved.pointers.size(), 2u);
  EXPECT_EQ(at<std::uint64_t>(moved, 0), 0x1234u);
  EXPECT_EQ(at<std::int32_t>(moved, 1), 7);
}

TEST(Arguments, AStepNamesWhatItTakesAndItsOwnScalars) {
  Step step;
  step.arguments = {"pass", "y"};
  step.values = {{"pass", 3}};
  const PackedArguments packed =
      pack_arguments({buffer("x"), buffer("y"), scalar("pass", Type::f32, 0)}, step, {1, 2, 0});
  ASSERT_EQ(packed.pointers.size(), 2u);
  EXPECT_EQ(at<float>(packed, 0), 3.0F);
  EXPECT_EQ(at<std::uint64_t>(packed, 1), 2u);
  EXPECT_EQ(packed.indices, (std::vector<std::size_t>{2, 1}));
}

TEST(Arguments, SymbolsAreNotPassedAndStructsAreAsTheyLie) {
  Argument symbol = buffer("filter");
  symbol.symbol = "c_filter";
  Argument both = scalar("both", Type::u8, 0);
  both.bytes_by_value = "0123456789abcdef";
  const std::vector<Argument> arguments{symbol, both};
  const PackedArguments packed = pack_arguments(arguments, {}, {1, 0});
  ASSERT_EQ(packed.pointers.size(), 1u);
  EXPECT_EQ(std::string(static_cast<char*>(packed.pointers[0]), 16), "0123456789abcdef");
  EXPECT_EQ(mismatch({16}, arguments, packed), "");
  EXPECT_EQ(mismatch({8}, arguments, packed), "argument both is 8 bytes in the kernel and 16 in the manifest");
  EXPECT_EQ(mismatch({16, 8}, arguments, packed), "the kernel takes 2 arguments, the manifest gives 1");
}

}  // namespace
}  // namespace tuner::device
