#include "compile/cubin.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>

#include "compile/elf.h"
#include "compile/entry_markers.h"
#include "core/hash.h"

namespace tuner::compile {
namespace {

constexpr std::uint16_t kCudaMachine = 190;
constexpr std::uint8_t kEntryFlag = 0x10;  // st_other of a __global__
constexpr std::uint64_t kReservedShared = 1024;
constexpr int kReservedSharedFrom = 90;  // from this architecture on .nv.shared counts what the system reserves

// Attributes of .nv.info sections; a record is a format byte, an attribute byte and two bytes of value or size.
constexpr std::uint8_t kSizedFormat = 4;
enum Attribute : std::uint8_t {
  kMaxThreads = 0x05,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kParameter = 0x17,
  kRegisterCount = 0x2f,
};

using Visit = std::function<void(std::uint8_t attribute, std::string_view value)>;

void for_each_attribute(std::string_view bytes, const Visit& visit) {
  while (bytes.size() >= 4) {
    const auto format = static_cast<std::uint8_t>(bytes[0]);
    const auto attribute = static_cast<std::uint8_t>(bytes[1]);
    std::size_t size = 0;
    if (format == kSizedFormat) {
      size = read_u16(bytes, 2);
      if (size > bytes.size() - 4) throw std::runtime_error("a cubin attribute is cut off");
      visit(attribute, bytes.substr(4, size));
    }
    bytes.remove_prefix(4 + size);
  }
}

int architecture(const Elf& elf) {
  // ABI 8 (CUDA 13) moved the number up by a byte.
  return static_cast<int>(elf.abi_version() >= 8 ? elf.flags() >> 8 & 0xff : elf.flags() & 0xff);
}

// Registers, frame and stack by symbol number, from the section that speaks of all functions.
void read_common(const Elf& elf, const std::map<std::uint32_t, std::size_t>& kernel_of_symbol,
                 std::vector<KernelAttributes>& kernels) {
  const auto* section = elf.find(".nv.info");
  if (section == nullptr) return;
  for_each_attribute(section->bytes, [&](std::uint8_t attribute, std::string_view value) {
    if (value.size() < 8) return;
    const auto found = kernel_of_symbol.find(read_u32(value, 0));
    if (found == kernel_of_symbol.end()) return;
    auto& kernel = kernels[found->second];
    const std::uint32_t amount = read_u32(value, 4);
    if (attribute == kRegisterCount) kernel.registers = static_cast<int>(amount & 0xffff);
    if (attribute == kFrameSize || attribute == kMinStackSize)
      kernel.local_bytes = std::max<std::int64_t>(kernel.local_bytes, amount);
  });
}

void read_own(const Elf& elf, KernelAttributes& kernel) {
  const auto* section = elf.find(".nv.info." + kernel.symbol);
  if (section == nullptr) return;
  std::map<std::uint32_t, int> sizes;  // by position: they stand in reverse order
  for_each_attribute(section->bytes, [&](std::uint8_t attribute, std::string_view value) {
    if (value.size() < 12) return;
    if (attribute == kParameter) sizes[read_u32(value, 4) & 0xffff] = static_cast<int>(read_u32(value, 8) >> 18);
    if (attribute == kMaxThreads) {
      const std::uint64_t product =
          std::uint64_t{read_u32(value, 0) & 0xffff} * (read_u32(value, 4) & 0xffff) * (read_u32(value, 8) & 0xffff);
      kernel.max_threads = static_cast<int>(std::min<std::uint64_t>(product, 1 << 20));
    }
  });
  for (const auto& [position, size] : sizes) kernel.parameter_bytes.push_back(size);
}

std::int64_t static_shared(const Elf& elf, const std::string& symbol) {
  const auto* section = elf.find(".nv.shared." + symbol);
  if (section == nullptr) return 0;
  std::uint64_t size = std::min<std::uint64_t>(section->size, std::uint64_t{1} << 40);
  if (architecture(elf) >= kReservedSharedFrom) size -= std::min(size, kReservedShared);
  return static_cast<std::int64_t>(size);
}

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

Elf open_cubin(std::string_view bytes) {
  Elf elf(bytes);
  if (elf.machine() != kCudaMachine) throw std::runtime_error("an ELF file, but not for a GPU");
  return elf;
}

std::vector<KernelAttributes> kernels_of(const Elf& elf) {
  std::vector<KernelAttributes> kernels;
  std::map<std::uint32_t, std::size_t> kernel_of_symbol;
  for (std::uint32_t i = 0; i < elf.symbols().size(); ++i) {
    const auto& symbol = elf.symbols()[i];
    if ((symbol.other & kEntryFlag) == 0 || symbol.name.empty() || (symbol.info & 0xf) != 2) continue;
    if (elf.find(".text." + std::string(symbol.name)) == nullptr) continue;
    kernel_of_symbol[i] = kernels.size();
    KernelAttributes kernel;
    kernel.symbol = std::string(symbol.name);
    kernel.entry = kernel.symbol;
    kernels.push_back(std::move(kernel));
  }
  read_common(elf, kernel_of_symbol, kernels);
  for (auto& kernel : kernels) {
    read_own(elf, kernel);
    kernel.static_shared_bytes = static_shared(elf, kernel.symbol);
  }
  std::sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.symbol < b.symbol; });
  return kernels;
}

}  // namespace

std::vector<KernelAttributes> read_cubin(std::string_view bytes) { return kernels_of(open_cubin(bytes)); }

std::string code_hash(std::string_view cubin) {
  const Elf elf = open_cubin(cubin);
  std::vector<std::string> parts;
  for (const auto& section : elf.sections()) {
    const auto name = section.name;
    const bool code = starts_with(name, ".text.") || starts_with(name, ".nv.constant") ||
                      starts_with(name, ".nv.info.") || starts_with(name, ".nv.global") ||
                      starts_with(name, ".nv.shared.") || starts_with(name, ".rel.text.") ||
                      starts_with(name, ".rela.text.");
    if (!code || is_entry_marker(name)) continue;
    std::string part(name);
    part += '\0';
    part += std::to_string(section.size);
    part += '\0';
    part += section.bytes;
    parts.push_back(std::move(part));
  }
  for (const auto& kernel : kernels_of(elf))
    if (!is_entry_marker(kernel.symbol))
      parts.push_back(kernel.symbol + ' ' + std::to_string(kernel.registers) + ' ' +
                      std::to_string(kernel.local_bytes));
  parts.push_back("flags " + std::to_string(elf.flags()));
  std::sort(parts.begin(), parts.end());
  std::string all;
  for (const auto& part : parts) {
    all += std::to_string(part.size());
    all += ' ';
    all += part;
  }
  return content_hash(all);
}

}  // namespace tuner::compile
