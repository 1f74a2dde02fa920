#include "compile/elf.h"

#include <algorithm>
#include <stdexcept>

namespace tuner::compile {
namespace {

constexpr std::size_t kFileHeader = 64;
constexpr std::size_t kSectionHeader = 64;
constexpr std::size_t kSymbol = 24;
constexpr std::uint32_t kSymbolTable = 2;
constexpr std::uint32_t kNoBits = 8;

[[noreturn]] void damaged(const char* what) {
  throw std::runtime_error(std::string("not a readable ELF file: ") + what);
}

std::string_view slice(std::string_view bytes, std::uint64_t offset, std::uint64_t size, const char* what) {
  if (offset > bytes.size() || size > bytes.size() - offset) damaged(what);
  return bytes.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

std::string_view text_at(std::string_view table, std::uint32_t offset) {
  if (offset >= table.size()) return {};
  const auto rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

}  // namespace

std::uint16_t read_u16(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint16_t>(little_endian(bytes, at, 2));
}
std::uint32_t read_u32(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(little_endian(bytes, at, 4));
}
std::uint64_t read_u64(std::string_view bytes, std::size_t at) { return little_endian(bytes, at, 8); }

Elf::Elf(std::string_view bytes) : bytes_(bytes) {
  if (bytes.size() < kFileHeader || bytes.substr(0, 4) != std::string_view("\x7f"
                                                                           "ELF",
                                                                           4))
    damaged("no ELF header");
  if (bytes[4] != 2 || bytes[5] != 1) damaged("not 64-bit little-endian");
  abi_version_ = static_cast<std::uint8_t>(bytes[8]);
  machine_ = read_u16(bytes, 18);
  flags_ = read_u32(bytes, 48);
  read_sections();
  read_symbols();
}

void Elf::read_sections() {
  const std::uint64_t offset = read_u64(bytes_, 40);
  const std::uint16_t entry_size = read_u16(bytes_, 58);
  const std::uint16_t count = read_u16(bytes_, 60);
  const std::uint16_t names_index = read_u16(bytes_, 62);
  if (count == 0) return;
  if (entry_size != kSectionHeader) damaged("odd section headers");
  const auto table = slice(bytes_, offset, std::uint64_t{count} * kSectionHeader, "section headers outside the file");
  if (names_index >= count) damaged("no section names");
  sections_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i * kSectionHeader;
    auto& section = sections_[i];
    section.type = read_u32(table, at + 4);
    section.flags = read_u64(table, at + 8);
    section.size = read_u64(table, at + 32);
    section.link = read_u32(table, at + 40);
    section.info = read_u32(table, at + 44);
    if (section.type != kNoBits && section.type != 0)
      section.bytes = slice(bytes_, read_u64(table, at + 24), section.size, "a section outside the file");
  }
  for (std::size_t i = 0; i < count; ++i)
    sections_[i].name = text_at(sections_[names_index].bytes, read_u32(table, i * kSectionHeader));
}

void Elf::read_symbols() {
  for (const auto& section : sections_) {
    if (section.type != kSymbolTable) continue;
    if (section.link >= sections_.size()) damaged("no symbol names");
    const auto names = sections_[section.link].bytes;
    for (std::size_t at = 0; at + kSymbol <= section.bytes.size(); at += kSymbol) {
      ElfSymbol symbol;
      symbol.name = text_at(names, read_u32(section.bytes, at));
      symbol.info = static_cast<std::uint8_t>(section.bytes[at + 4]);
      symbol.other = static_cast<std::uint8_t>(section.bytes[at + 5]);
      symbol.section = read_u16(section.bytes, at + 6);
      symbols_.push_back(symbol);
    }
    return;  // attributes number the symbols of the only table there is
  }
}

const ElfSection* Elf::find(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(), [&](const auto& s) { return s.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

}  // namespace tuner::compile
