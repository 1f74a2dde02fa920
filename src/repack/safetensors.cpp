#include "repack/safetensors.h"

#include <fmt/core.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"

namespace tuner::repack {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t most_header = 100'000'000;  // the format's own limit
constexpr std::size_t most_extents = 8;

std::uint64_t length_of(std::string_view file) {
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), sizeof length);
  return length;
}

// Of an element; empty where the type is not known or an element is no whole bytes.
std::optional<std::int64_t> bytes_of(const std::string& type) {
  static const std::pair<const char*, std::int64_t> kTypes[] = {
      {"BOOL", 1}, {"U8", 1},   {"I8", 1},  {"F8_E4M3", 1}, {"F8_E5M2", 1}, {"F8_E8M0", 1}, {"I16", 2}, {"U16", 2},
      {"F16", 2},  {"BF16", 2}, {"I32", 4}, {"U32", 4},     {"F32", 4},     {"I64", 8},     {"U64", 8}, {"F64", 8}};
  for (const auto& [name, bytes] : kTypes)
    if (type == name) return bytes;
  return std::nullopt;
}

class TableReader {
 public:
  TableReader(std::string_view data, const std::string& path) : data_(data), path_(path) {}

  Tensor tensor(const std::string& name, const Json& entry) const {
    Tensor tensor;
    tensor.name = name;
    const auto type = entry.find("dtype"), shape = entry.find("shape"), offsets = entry.find("data_offsets");
    if (type == entry.end() || !type->is_string() || shape == entry.end() || !shape->is_array() ||
        shape->size() > most_extents || offsets == entry.end() || !offsets->is_array() || offsets->size() != 2)
      fail(name, "has no dtype, shape or data_offsets");
    tensor.type = type->get<std::string>();
    std::int64_t elements = 1;
    for (const Json& extent : *shape) {
      tensor.shape.push_back(number(name, extent));
      if (__builtin_mul_overflow(elements, tensor.shape.back(), &elements)) fail(name, "has an impossible shape");
    }
    const std::int64_t begin = number(name, (*offsets)[0]), end = number(name, (*offsets)[1]);
    if (begin > end) fail(name, "ends before it begins");
    if (static_cast<std::uint64_t>(end) > data_.size())
      throw UserError(fmt::format("the file is cut short: '{}' ends {} bytes behind its end", name,
                                  static_cast<std::uint64_t>(end) - data_.size()),
                      path_, "download it again");
    tensor.bytes = data_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    const auto size = bytes_of(tensor.type);
    std::int64_t bytes = 0;
    if (size && (__builtin_mul_overflow(elements, *size, &bytes) || bytes != end - begin))
      fail(name, "has another size than its shape");
    return tensor;
  }

 private:
  [[noreturn]] void fail(const std::string& name, const std::string& what) const {
    throw UserError("the safetensors header is damaged: '" + name + "' " + what, path_);
  }

  std::int64_t number(const std::string& name, const Json& value) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
      fail(name, "has an impossible number");
    return value.get<std::int64_t>();
  }

  std::string_view data_;
  const std::string& path_;
};

}  // namespace

bool is_safetensors(std::string_view file) { return file.size() > 8 && file[8] == '{'; }

std::vector<Tensor> read_safetensors(std::string_view file, const std::string& path) {
  if (!is_safetensors(file)) throw UserError("this is no safetensors file", path);
  const std::uint64_t length = length_of(file);
  if (length > most_header) throw UserError("this is no safetensors file: its header would be too long", path);
  if (length > file.size() - 8)
    throw UserError("the file is cut short: it ends within its safetensors header", path, "download it again");
  const std::string_view text = file.substr(8, static_cast<std::size_t>(length));
  const Json header = Json::parse(text.begin(), text.end(), nullptr, false);
  if (!header.is_object()) throw UserError("the safetensors header is no JSON object", path);
  const TableReader reader(file.substr(8 + static_cast<std::size_t>(length)), path);
  std::vector<Tensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    if (!entry.is_object()) throw UserError("the safetensors header is damaged: '" + name + "' is no object", path);
    tensors.push_back(reader.tensor(name, entry));
  }
  return tensors;
}

}  // namespace tuner::repack
