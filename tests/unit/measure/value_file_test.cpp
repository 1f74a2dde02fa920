#include "measure/value_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/error.h"

namespace tuner::measure {
namespace {

class ValueFile : public testing::Test {
 protected:
  ~ValueFile() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories(folder_);
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  // As numpy.save writes it; `version` 2 and 3 have a longer length.
  static std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
    std::string header = dictionary + "\n";
    const std::size_t size = header.size();
    std::string text = std::string("\x93NUMPY") + version + '\0';
    text += static_cast<char>(size & 255);
    text += static_cast<char>(size >> 8 & 255);
    if (version > 1) text += std::string(2, '\0');
    return text + header + data;
  }
  static std::string dictionary(const std::string& descr, const std::string& shape, const char* order = "False") {
    return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }";
  }
  static std::string floats(const std::vector<float>& values) {
    std::string bytes(values.size() * 4, '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  // What the error says, after the file's path; the path itself is checked.
  static std::string error(const std::string& path, Type type, std::int64_t elements) {
    try {
      (void)read_values(path, type, elements);
    } catch (const UserError& fault) {
      EXPECT_EQ(fault.where(), path);
      return std::string(fault.what()) + (fault.hint().empty() ? "" : " | " + fault.hint());
    }
    return "read";
  }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("value_file_" + std::to_string(::getpid()));
};

TEST_F(ValueFile, NpyOfEachVersionGivesItsElements) {
  const std::vector<float> values{1, -2, 3.5, 0, 7, 8};
  for (const char version : {'\1', '\2', '\3'}) {
    const std::string path = write("a.npy", npy(dictionary("<f4", "2, 3"), floats(values), version));
    const auto bytes = read_values(path, Type::f32, 6);
    ASSERT_EQ(bytes.size(), 24u);
    EXPECT_EQ(std::memcmp(bytes.data(), values.data(), 24), 0) << static_cast<int>(version);
  }
  EXPECT_EQ(read_values(write("one.npy", npy(dictionary("<f4", ""), floats({4}))), Type::f32, 1).size(), 4u);
}

TEST_F(ValueFile, TypesThatNumpyLacksAreUnsignedIntegers) {
  EXPECT_EQ(read_values(write("b.npy", npy(dictionary("<u2", "3,"), "abcdef")), Type::bf16, 3).size(), 6u);
  EXPECT_EQ(read_values(write("c.npy", npy(dictionary("|u1", "3,"), "abc")), Type::f8_e4m3, 3).size(), 3u);
  EXPECT_EQ(read_values(write("d.npy", npy(dictionary("|u1", "3,"), "abc")), Type::i4, 5).size(), 3u);
  EXPECT_EQ(read_values(write("e.npy", npy(dictionary("|b1", "2,"), "\1\1")), Type::boolean, 2).size(), 2u);
  EXPECT_EQ(error(write("f.npy", npy(dictionary("|u1", "4,"), "abcd")), Type::i4, 5),
            "it holds 4 elements (shape 4,), this problem needs 3");
}

TEST_F(ValueFile, AnotherTypeOrderOrSizeIsNamed) {
  const std::string data = floats({1, 2, 3, 4});
  EXPECT_EQ(error(write("t.npy", npy(dictionary("<f8", "2,"), data)), Type::f32, 2),
            "it holds '<f8', f32 needs '<f4' | numpy.save(path, array.astype('<f4'))");
  EXPECT_EQ(error(write("b.npy", npy(dictionary(">f4", "4,"), data)), Type::f32, 4),
            "it holds '>f4', f32 needs '<f4' | numpy.save(path, array.astype('<f4'))");
  EXPECT_EQ(error(write("o.npy", npy(dictionary("<f4", "2, 2", "True"), data)), Type::f32, 4),
            "it is in Fortran's order | numpy.save(path, numpy.ascontiguousarray(array))");
  EXPECT_EQ(error(write("s.npy", npy(dictionary("<f4", "2, 2"), data)), Type::f32, 5),
            "it holds 4 elements (shape 2, 2), this problem needs 5");
  EXPECT_EQ(error(write("l.npy", npy(dictionary("<f4", "999999999999, 999999999999"), data)), Type::f32, 4),
            "its shape (999999999999, 999999999999) is none, or too large");
  EXPECT_EQ(error(write("d.npy", npy(dictionary("<f4", "99999999999999999999"), data)), Type::f32, 4),
            "its shape (99999999999999999999) is none, or too large");
  EXPECT_EQ(error(write("x.npy", npy(dictionary("<f4", "4,"), data + "x")), Type::f32, 4),
            "it holds 17 bytes, 4 elements of f32 are 16");
}

TEST_F(ValueFile, DamagedHeadersAreNamed) {
  const std::string whole = npy(dictionary("<f4", "2,"), floats({1, 2}));
  EXPECT_EQ(error(write("s.npy", npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", "12345678")),
                  Type::f32, 2),
            "its .npy header is damaged");
  EXPECT_EQ(error(write("v.npy", npy(dictionary("<f4", "2,"), "", 9)), Type::f32, 2), "its .npy header is damaged");
  EXPECT_EQ(error(write("n.npy", "no numpy"), Type::f32, 2), "it is no .npy file");
  EXPECT_EQ(error(write("e.npy", ""), Type::f32, 2), "it is no .npy file");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(error(write("cut.npy", whole.substr(0, size)), Type::f32, 2), "read") << size;
  EXPECT_EQ(error(write("cut.npy", whole.substr(0, whole.size() - 1)), Type::f32, 2),
            "it holds 7 bytes, 2 elements of f32 are 8");
  EXPECT_EQ(error(write("cut.npy", whole.substr(0, 30)), Type::f32, 2), "it ends within its .npy header");
  EXPECT_EQ(error(write("long.npy", npy("{'descr': '" + std::string(65000, 'a') + "'}", "")), Type::f32, 2),
            "its .npy header is damaged");
  EXPECT_EQ(error(write("wide.npy", npy(dictionary("<f4", std::string(60000, '1')), "")), Type::f32, 2).substr(0, 9),
            "its shape");
}

TEST_F(ValueFile, OtherFilesAreBytesAsTheyLie) {
  EXPECT_EQ(read_values(write("a.bin", "abcdefgh"), Type::f32, 2).back(), std::byte{'h'});
  EXPECT_TRUE(read_values(write("z.bin", ""), Type::f32, 0).empty());
  EXPECT_EQ(error(write("a.bin", "abcdefg"), Type::f32, 2), "it holds 7 bytes, 2 elements of f32 are 8");
  EXPECT_EQ(error(write("a.bin", "ab"), Type::u4, 3), "read");
  EXPECT_EQ(error("/nowhere/a.bin", Type::f32, 2), "cannot read the values of a buffer");
  EXPECT_NE(error(folder_.string(), Type::f32, 2), "read") << "a folder";
}

}  // namespace
}  // namespace tuner::measure
