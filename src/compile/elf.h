// A bounds-checked view of a little-endian ELF64 file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::compile {

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t size = 0;  // in memory; `bytes` is empty for sections without contents
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::string_view bytes;
};

struct ElfSymbol {
  std::string_view name;
  std::uint8_t info = 0;
  std::uint8_t other = 0;
  std::uint16_t section = 0;
};

class Elf {
 public:
  // `bytes` must outlive this. Throws std::runtime_error when it is not such a file or a table lies outside it.
  explicit Elf(std::string_view bytes);

  std::uint16_t machine() const { return machine_; }
  std::uint32_t flags() const { return flags_; }
  std::uint8_t abi_version() const { return abi_version_; }
  const std::vector<ElfSection>& sections() const { return sections_; }
  const std::vector<ElfSymbol>& symbols() const { return symbols_; }
  const ElfSection* find(std::string_view name) const;

 private:
  void read_sections();
  void read_symbols();

  std::string_view bytes_;
  std::uint16_t machine_ = 0;
  std::uint32_t flags_ = 0;
  std::uint8_t abi_version_ = 0;
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
};

// Little-endian integers; the caller has checked that they lie within `bytes`.
std::uint16_t read_u16(std::string_view bytes, std::size_t at);
std::uint32_t read_u32(std::string_view bytes, std::size_t at);
std::uint64_t read_u64(std::string_view bytes, std::size_t at);

}  // namespace tuner::compile
