#include "compile/cubin.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

namespace tuner::compile {
namespace {

void put(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(i < 8 ? static_cast<char>(value >> (8 * i) & 0xff) : '\0');
}

// A cubin as the assembler writes it, reduced to what is read: one kernel `k`, one device function.
class Builder {
 public:
  int arch = 90;
  int abi = 8;
  std::uint32_t registers = 40;
  std::uint64_t shared = 3072;
  std::string code = "code of k";
  std::string debug = "debug";
  std::string note = "note";

  std::string build() {
    sections_.clear();
    add("", 0, "");
    add(".strtab", 3, std::string("\0k\0helper\0", 10));
    add(".symtab", 2, symbols(), 1);
    add(".nv.info", 0x70000000, common());
    add(".nv.info.k", 0x70000000, own());
    add(".text.k", 1, code);
    add(".text.helper", 1, "helper");
    add(".nv.shared.k", 8, "", 0, shared);
    add(".debug_frame", 1, debug);
    add(".note.nv.tkinfo", 7, note);
    return file();
  }

 private:
  struct Section {
    std::string name;
    std::uint32_t type;
    std::string bytes;
    std::uint32_t link;
    std::uint64_t size;
  };
  void add(std::string name, std::uint32_t type, std::string bytes, std::uint32_t link = 0, std::uint64_t size = 0) {
    const std::uint64_t length = type == 8 ? size : bytes.size();
    sections_.push_back({std::move(name), type, std::move(bytes), link, length});
  }
  static std::string symbols() {
    std::string bytes(24, '\0');
    const auto symbol = [&](std::uint32_t name, int info, int other, int section) {
      put(bytes, name, 4), put(bytes, info, 1), put(bytes, other, 1), put(bytes, section, 2), put(bytes, 0, 16);
    };
    symbol(1, 0x12, 0x10, 5);
    symbol(3, 0x12, 0x00, 6);
    return bytes;
  }
  std::string common() const {
    std::string bytes;
    const auto of_symbol = [&](int attribute, std::uint32_t symbol, std::uint32_t value) {
      put(bytes, 4, 1), put(bytes, attribute, 1), put(bytes, 8, 2), put(bytes, symbol, 4), put(bytes, value, 4);
    };
    of_symbol(0x2f, 1, registers);
    of_symbol(0x2f, 2, 99);
    of_symbol(0x11, 1, 16);
    of_symbol(0x12, 1, 48);
    of_symbol(0x12, 7, 1000);  // no such symbol
    return bytes;
  }
  static std::string own() {
    std::string bytes;
    const auto parameter = [&](std::uint32_t position, std::uint32_t offset, std::uint32_t size) {
      put(bytes, 4, 1), put(bytes, 0x17, 1), put(bytes, 12, 2), put(bytes, 0, 4);
      put(bytes, position | offset << 16, 4), put(bytes, size << 18 | 0x1f000, 4);
    };
    put(bytes, 3, 1), put(bytes, 0x19, 1), put(bytes, 20, 2);
    parameter(2, 16, 4);
    parameter(1, 8, 8);
    parameter(0, 0, 8);
    put(bytes, 4, 1), put(bytes, 0x05, 1), put(bytes, 12, 2), put(bytes, 64, 4), put(bytes, 4, 4), put(bytes, 1, 4);
    return bytes;
  }
  std::string file() {
    std::string names(1, '\0');
    std::string bodies;
    std::string headers;
    add(".shstrtab", 3, "");
    for (auto& section : sections_) {
      const auto name = names.size();
      names += section.name + '\0';
      if (section.name == ".shstrtab") section.bytes = names, section.size = names.size();
      put(headers, name, 4), put(headers, section.type, 4), put(headers, 0, 16);
      put(headers, 64 + bodies.size(), 8), put(headers, section.size, 8), put(headers, section.link, 4);
      put(headers, 0, 20);
      bodies += section.bytes;
    }
    std::string bytes(
        "\x7f"
        "ELF\2\1\1A",
        8);
    put(bytes, abi, 1), put(bytes, 0, 7), put(bytes, 2, 2), put(bytes, 190, 2), put(bytes, 1, 4), put(bytes, 0, 16);
    put(bytes, 64 + bodies.size(), 8), put(bytes, abi >= 8 ? arch << 8 | 2 : arch, 4), put(bytes, 64, 2),
        put(bytes, 0, 4);
    put(bytes, 64, 2), put(bytes, sections_.size(), 2), put(bytes, sections_.size() - 1, 2);
    return bytes + bodies + headers;
  }
  std::vector<Section> sections_;
};

TEST(Cubin, ReadsEveryAttribute) {
  const auto kernels = read_cubin(Builder().build());
  ASSERT_EQ(kernels.size(), 1u);  // the helper is no entry
  EXPECT_EQ(kernels[0].entry, "k");
  EXPECT_EQ(kernels[0].registers, 40);
  EXPECT_EQ(kernels[0].local_bytes, 48);
  EXPECT_EQ(kernels[0].max_threads, 256);
  EXPECT_EQ(kernels[0].static_shared_bytes, 2048);
  EXPECT_EQ(kernels[0].parameter_bytes, (std::vector<int>{8, 8, 4}));
}

TEST(Cubin, ReservedSharedMemoryIsTakenOffFromSm90On) {
  for (const int abi : {7, 8}) {
    Builder builder;
    builder.abi = abi;
    builder.arch = 89;
    EXPECT_EQ(read_cubin(builder.build()).at(0).static_shared_bytes, 3072);
    builder.arch = 120;
    EXPECT_EQ(read_cubin(builder.build()).at(0).static_shared_bytes, 2048);
    builder.shared = 100;
    EXPECT_EQ(read_cubin(builder.build()).at(0).static_shared_bytes, 0);
  }
}

TEST(Cubin, HashIsOfCodeAndLaunchFactsOnly) {
  Builder builder;
  const auto hash = code_hash(builder.build());
  EXPECT_EQ(hash.size(), 32u);
  builder.debug = "other debug";
  builder.note = "other options";
  EXPECT_EQ(code_hash(builder.build()), hash);
  builder.registers = 41;
  EXPECT_NE(code_hash(builder.build()), hash);
  builder.registers = 40;
  builder.code = "Code of k";
  EXPECT_NE(code_hash(builder.build()), hash);
  builder.code = "code of k";
  builder.shared = 4096;
  EXPECT_NE(code_hash(builder.build()), hash);
  builder.shared = 3072;
  builder.arch = 80;
  EXPECT_NE(code_hash(builder.build()), hash);
}

TEST(Cubin, RefusesWhatIsNone) {
  std::string other = Builder().build();
  other[18] = 62;  // x86-64
  for (const auto& bytes : {std::string(),
                            std::string("\x7f"
                                        "ELF"),
                            std::string(200, 'x'), other})
    EXPECT_THROW(read_cubin(bytes), std::runtime_error);
}

// Answers or refuses, whatever is broken; sanitizers watch the reads.
TEST(Cubin, SurvivesEveryBrokenByteAndEveryCut) {
  const std::string good = Builder().build();
  int refused = 0;
  const auto read = [&](const std::string& bytes) {
    try {
      read_cubin(bytes);
      code_hash(bytes);
    } catch (const std::runtime_error&) {
      ++refused;
    }
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(value);
      read(bad);
    }
    read(good.substr(0, i));
  }
  EXPECT_GT(refused, static_cast<int>(good.size()) - 64);
}

}  // namespace
}  // namespace tuner::compile
