#include "files.h"

#include <gtest/gtest.h>

#include "repack/gguf.h"
#include "repack/safetensors.h"

namespace tuner::repack {
namespace {

std::string of_file(const std::string& bytes) {
  const File file(bytes);
  return refusal([&] { TensorFile(file.path()); });
}

const std::vector<Written>& two() {
  static const std::vector<Written> tensors{{"a", "F16", {2, 3}, std::string(12, 'a')}, {"b", "I32", {1}, "bbbb"}};
  return tensors;
}

TEST(TensorFiles, AreRead) {
  const File file(safetensors_of(two()));
  const TensorFile read(file.path());
  EXPECT_EQ(read.kind(), TensorFile::Kind::safetensors);
  ASSERT_EQ(read.tensors().size(), 2U);
  EXPECT_EQ(read.find("a")->type, "F16");
  EXPECT_EQ(read.find("a")->shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(read.find("b")->bytes, "bbbb");
  EXPECT_EQ(read.find("c"), nullptr);
  const File other(gguf_of({{"a", "8", {2, 1, 32}, std::string(68, 'a')}, {"b", "99", {7}, "?"}}));
  const TensorFile gguf(other.path());
  EXPECT_EQ(gguf.kind(), TensorFile::Kind::gguf);
  EXPECT_EQ(gguf.find("a")->type, "Q8_0");
  EXPECT_EQ(gguf.find("a")->shape, (std::vector<std::int64_t>{2, 1, 32}));
  EXPECT_EQ(gguf.find("a")->bytes, std::string(68, 'a'));
  EXPECT_EQ(gguf.find("b")->type, "type 99");
}

// Whatever is left of a file is refused with a word that says so, and none is read past its end.
TEST(TensorFiles, AreRefusedWhereverTheyAreCutShort) {
  for (const std::string& whole : {safetensors_of(two()), gguf_of({{"a", "8", {1, 32}, std::string(34, 'a')}})})
    for (std::size_t size = 9; size < whole.size(); ++size) {
      const std::string said = of_file(whole.substr(0, size));
      EXPECT_NE(said.find("cut short"), std::string::npos) << size << " of " << whole.size() << ": " << said;
    }
}

TEST(TensorFiles, AreRefusedWhereTheyAreOfAnotherKind) {
  EXPECT_EQ(of_file(""), "the file is empty");
  EXPECT_EQ(of_file("PK\3\4 and more of an archive"), "this is neither a safetensors nor a GGUF file");
  EXPECT_EQ(of_file("GGU"), "this is neither a safetensors nor a GGUF file");
  EXPECT_EQ(of_file("GGUF" + number<std::uint32_t>(1) + std::string(16, '\0')), "this is GGUF version 1");
  EXPECT_EQ(of_file("GGUF" + number<std::uint32_t>(0) + std::string(16, '\0')), "this is GGUF version 0");
  EXPECT_EQ(of_file("GGUF" + number<std::uint32_t>(3U << 24) + std::string(16, '\0')), "this GGUF file is big-endian");
  EXPECT_EQ(refusal([] { TensorFile("/nowhere"); }), "cannot read the file: No such file or directory");
  EXPECT_EQ(refusal([] { TensorFile("/tmp"); }), "this is no file");
}

TEST(TensorFiles, AreRefusedWhereSafetensorsLie) {
  const auto header = [](const std::string& text) {
    return of_file(number<std::uint64_t>(text.size()) + text + "1234");
  };
  EXPECT_EQ(header("{\"a\":"), "the safetensors header is no JSON object");
  EXPECT_EQ(header("{\"a\":1}"), "the safetensors header is damaged: 'a' is no object");
  const auto entry = [&](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return header("{\"a\":{\"dtype\":" + dtype + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}}");
  };
  const std::string damaged = "the safetensors header is damaged: 'a' ";
  EXPECT_EQ(entry("\"I32\"", "[1]", "[0,4]"), "not refused");
  EXPECT_EQ(entry("1", "[1]", "[0,4]"), damaged + "has no dtype, shape or data_offsets");
  EXPECT_EQ(entry("\"I32\"", "[1]", "[0]"), damaged + "has no dtype, shape or data_offsets");
  EXPECT_EQ(entry("\"I32\"", "[2]", "[0,4]"), damaged + "has another size than its shape");
  EXPECT_EQ(entry("\"I32\"", "[-1]", "[0,4]"), damaged + "has an impossible number");
  EXPECT_EQ(entry("\"I32\"", "[1.0]", "[0,4]"), damaged + "has an impossible number");
  EXPECT_EQ(entry("\"I32\"", "[1]", "[0,18446744073709551615]"), damaged + "has an impossible number");
  EXPECT_EQ(entry("\"I32\"", "[4611686018427387904,4]", "[0,4]"), damaged + "has an impossible shape");
  EXPECT_EQ(entry("\"I32\"", "[4611686018427387904]", "[0,4]"), damaged + "has another size than its shape");
  EXPECT_EQ(entry("\"I32\"", "[1]", "[4,0]"), damaged + "ends before it begins");
  EXPECT_EQ(entry("\"I32\"", "[1]", "[4,8]"), "the file is cut short: 'a' ends 4 bytes behind its end");
  EXPECT_EQ(of_file(number<std::uint64_t>(1'000'000'000) + "{"),
            "this is no safetensors file: its header would be too long");
  EXPECT_EQ(header(std::string(100'000, '[')), "this is neither a safetensors nor a GGUF file");
  EXPECT_EQ(header("{\"a\":" + std::string(100'000, '[')), "the safetensors header is no JSON object");
}

TEST(TensorFiles, AreRefusedWhereGgufLies) {
  const auto one = [](std::vector<std::int64_t> shape, const std::string& type = "8") {
    return of_file(gguf_of({{"a", type, std::move(shape), std::string(34, 'a')}}));
  };
  EXPECT_EQ(one({1, 32}), "not refused");
  EXPECT_EQ(one({2, 32}), "the file is cut short: it ends within the data of 'a'");
  EXPECT_EQ(one({1, 33}), "the GGUF header is damaged: the rows of 'a' are no whole blocks of 32");
  EXPECT_EQ(one({1, 1, 1, 1, 32}), "the GGUF header is damaged: 'a' has 5 dimensions");
  EXPECT_EQ(one({INT64_MAX, 32}), "the GGUF header is damaged: 'a' has an impossible shape");
  EXPECT_EQ(one({1, -32}), "the GGUF header is damaged: 'a' has an impossible shape");
  EXPECT_EQ(of_file(gguf_of({}, 24)), "the GGUF header is damaged: general.alignment is 24");
  const auto value = [](const std::string& bytes) {
    return of_file("GGUF" + number<std::uint32_t>(3) + number<std::uint64_t>(0) + number<std::uint64_t>(1) + bytes);
  };
  EXPECT_EQ(value(gguf_text("k") + number<std::uint32_t>(13)), "the GGUF header is damaged: 'k' is of type 13");
  EXPECT_EQ(
      value(gguf_text("k") + number<std::uint32_t>(9) + number<std::uint32_t>(10) + number<std::uint64_t>(1ULL << 61)),
      "the file is cut short: it ends within its GGUF header");
  EXPECT_EQ(value(number<std::uint64_t>(~0ULL)), "the file is cut short: it ends within its GGUF header");
  std::string nested = gguf_text("k") + number<std::uint32_t>(9);
  for (int i = 0; i < 6; ++i) nested += number<std::uint32_t>(9) + number<std::uint64_t>(1);
  EXPECT_EQ(value(nested), "the GGUF header is damaged: 'k' is nested too deep");
  EXPECT_EQ(value(gguf_text("general.alignment") + number<std::uint32_t>(8) + gguf_text("x")),
            "the GGUF header is damaged: general.alignment is no 32-bit number");
}

}  // namespace
}  // namespace tuner::repack
