#include "core/gpu.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace tuner {
namespace {

// CUDA programming guide, "technical specifications per compute capability".
struct ArchRow {
  int arch;
  int max_threads_per_sm;
  int max_blocks_per_sm;
  int shared_per_sm_kib;
  int shared_max_kib;
  int reserved_shared;
};

constexpr std::array<ArchRow, 12> arch_rows{{
    {75, 1024, 16, 64, 64, 0},
    {80, 2048, 32, 164, 163, 1024},
    {86, 1536, 16, 100, 99, 1024},
    {87, 1536, 16, 164, 163, 1024},
    {88, 1536, 16, 164, 163, 1024},
    {89, 1536, 24, 100, 99, 1024},
    {90, 2048, 32, 228, 227, 1024},
    {100, 2048, 32, 228, 227, 1024},
    {103, 2048, 32, 228, 227, 1024},
    {110, 1536, 24, 228, 227, 1024},
    {120, 1536, 24, 100, 99, 1024},
    {121, 1536, 24, 100, 99, 1024},
}};

}  // namespace

std::string arch_text(int arch) { return "sm_" + std::to_string(arch); }

std::optional<int> arch_from_text(std::string_view text) {
  if (text.substr(0, 3) == "sm_") text.remove_prefix(3);
  std::string digits;
  bool dot = false;
  for (char c : text) {
    if (c == '.' && !dot && !digits.empty()) {
      dot = true;
    } else if (c >= '0' && c <= '9') {
      digits += c;
    } else {
      return std::nullopt;
    }
  }
  if (digits.size() < 2 || digits.size() > 3) return std::nullopt;
  return std::stoi(digits);
}

GpuFacts gpu_of_arch(int arch) {
  for (const auto& row : arch_rows) {
    if (row.arch != arch) continue;
    GpuFacts gpu;
    gpu.name = arch_text(arch);
    gpu.arch = arch;
    gpu.max_threads_per_sm = row.max_threads_per_sm;
    gpu.max_blocks_per_sm = row.max_blocks_per_sm;
    gpu.registers_per_sm = 65536;
    gpu.registers_per_block = 65536;
    gpu.shared_max = row.shared_max_kib * 1024;
    gpu.shared_per_sm = row.shared_per_sm_kib * 1024;
    gpu.reserved_shared_per_block = row.reserved_shared;
    return gpu;
  }
  std::string known;
  for (const auto& row : arch_rows) known += (known.empty() ? "" : ", ") + arch_text(row.arch);
  throw UserError("unknown architecture '" + arch_text(arch) + "'", {}, "known: " + known);
}

std::string to_json(const GpuFacts& gpu) {
  const nlohmann::ordered_json object{
      {"name", gpu.name},
      {"arch", gpu.arch},
      {"sm_count", gpu.sm_count},
      {"memory_bytes", gpu.memory_bytes},
      {"mig_profile", gpu.mig_profile},
      {"warp_size", gpu.warp_size},
      {"max_threads_per_block", gpu.max_threads_per_block},
      {"max_threads_per_sm", gpu.max_threads_per_sm},
      {"max_blocks_per_sm", gpu.max_blocks_per_sm},
      {"registers_per_sm", gpu.registers_per_sm},
      {"registers_per_block", gpu.registers_per_block},
      {"shared_per_block", gpu.shared_per_block},
      {"shared_max", gpu.shared_max},
      {"shared_per_sm", gpu.shared_per_sm},
      {"reserved_shared_per_block", gpu.reserved_shared_per_block},
      {"l2_bytes", gpu.l2_bytes},
      {"memory_bus_bits", gpu.memory_bus_bits},
      {"memory_clock_khz", gpu.memory_clock_khz},
      {"sm_clock_khz", gpu.sm_clock_khz},
      {"uuid", gpu.uuid},
      {"driver", gpu.driver},
      {"cuda_driver", gpu.cuda_driver},
      {"power_limit_w", gpu.power_limit_w},
      {"ecc", gpu.ecc},
      {"display", gpu.display},
  };
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

namespace {

constexpr int most_threads = 1024;
constexpr std::int64_t most_bytes = std::int64_t{1} << 50;

UserError wrong_fact(const char* key, const char* type) {
  return UserError("a GPU's '" + std::string(key) + "' is not " + type);
}

// A fact that is not there keeps its value.
void read_fact(const nlohmann::json& object, const char* key, std::string& field) {
  const auto at = object.find(key);
  if (at == object.end()) return;
  if (!at->is_string()) throw wrong_fact(key, "a text");
  field = at->get<std::string>();
}
void read_fact(const nlohmann::json& object, const char* key, bool& field) {
  const auto at = object.find(key);
  if (at == object.end()) return;
  if (!at->is_boolean()) throw wrong_fact(key, "true or false");
  field = at->get<bool>();
}
template <class Number>
void read_fact(const nlohmann::json& object, const char* key, Number& field) {
  constexpr std::int64_t most = std::min<std::int64_t>(most_bytes, std::numeric_limits<Number>::max());
  const auto at = object.find(key);
  if (at == object.end()) return;
  if (!at->is_number_unsigned() || at->template get<std::uint64_t>() > static_cast<std::uint64_t>(most))
    throw wrong_fact(key, "a whole number from 0, or too large");
  field = static_cast<Number>(at->template get<std::uint64_t>());
}

}  // namespace

GpuFacts gpu_from_json(std::string_view text) {
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object()) throw UserError("a GPU must be a JSON object");
  GpuFacts gpu;
  const auto read = [&object](const char* key, auto& field) { read_fact(object, key, field); };
  read("name", gpu.name);
  read("arch", gpu.arch);
  read("sm_count", gpu.sm_count);
  read("memory_bytes", gpu.memory_bytes);
  read("mig_profile", gpu.mig_profile);
  read("warp_size", gpu.warp_size);
  read("max_threads_per_block", gpu.max_threads_per_block);
  read("max_threads_per_sm", gpu.max_threads_per_sm);
  read("max_blocks_per_sm", gpu.max_blocks_per_sm);
  read("registers_per_sm", gpu.registers_per_sm);
  read("registers_per_block", gpu.registers_per_block);
  read("shared_per_block", gpu.shared_per_block);
  read("shared_max", gpu.shared_max);
  read("shared_per_sm", gpu.shared_per_sm);
  read("reserved_shared_per_block", gpu.reserved_shared_per_block);
  read("l2_bytes", gpu.l2_bytes);
  read("memory_bus_bits", gpu.memory_bus_bits);
  read("memory_clock_khz", gpu.memory_clock_khz);
  read("sm_clock_khz", gpu.sm_clock_khz);
  read("uuid", gpu.uuid);
  read("driver", gpu.driver);
  read("cuda_driver", gpu.cuda_driver);
  read("power_limit_w", gpu.power_limit_w);
  read("ecc", gpu.ecc);
  read("display", gpu.display);
  if (gpu.warp_size < 1 || gpu.warp_size > most_threads) throw UserError("a GPU's 'warp_size' is impossible");
  return gpu;
}

}  // namespace tuner
