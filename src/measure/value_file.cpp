#include "measure/value_file.h"

#include <fmt/core.h>

#include <charconv>
#include <fstream>
#include <optional>

#include "core/error.h"

namespace tuner::measure {
namespace {

constexpr std::size_t most_header = 1 << 16;

std::string descriptor_of(Type type) {
  switch (type) {
    case Type::f64:
      return "<f8";
    case Type::f32:
      return "<f4";
    case Type::f16:
      return "<f2";
    case Type::bf16:
    case Type::u16:
      return "<u2";
    case Type::i16:
      return "<i2";
    case Type::i32:
      return "<i4";
    case Type::u32:
      return "<u4";
    case Type::i64:
      return "<i8";
    case Type::u64:
      return "<u8";
    case Type::i8:
      return "|i1";
    case Type::boolean:
      return "|b1";
    default:
      return "|u1";
  }
}

// Elements that a packed type's file counts: bytes.
std::int64_t counted(Type type, std::int64_t elements) {
  return bits_of(type) < 8 ? bytes_of(type, elements) : elements;
}

[[noreturn]] void refuse(const std::string& path, const std::string& what, const std::string& hint = {}) {
  throw UserError(what, path, hint);
}

void skip_spaces(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

// What lies between `open` and `close` behind the key of a Python dictionary, given as it stands there, in quotes.
std::optional<std::string> value_of(std::string_view header, std::string_view key, char open, char close) {
  const auto at = header.find(key);
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size());
  skip_spaces(header);
  if (header.empty() || header.front() != ':') return {};
  header.remove_prefix(1);
  skip_spaces(header);
  if (header.empty() || header.front() != open) return {};
  const auto end = header.find(close, 1);
  if (end == std::string_view::npos) return {};
  return std::string(header.substr(1, end - 1));
}

// The product of the extents "2, 3,"; empty where they are none or too large.
std::optional<std::int64_t> elements_of(std::string_view shape) {
  std::int64_t held = 1;
  for (skip_spaces(shape); !shape.empty(); skip_spaces(shape)) {
    std::int64_t extent = 0;
    const auto [end, fault] = std::from_chars(shape.data(), shape.data() + shape.size(), extent);
    if (fault != std::errc{} || extent < 0 || __builtin_mul_overflow(held, extent, &held)) return {};
    shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
    skip_spaces(shape);
    if (!shape.empty() && shape.front() != ',') return {};
    if (!shape.empty()) shape.remove_prefix(1);
  }
  return held;
}

std::string header_of(std::ifstream& file, const std::string& path) {
  unsigned char version = 0, length[4] = {};
  file.seekg(6);
  version = static_cast<unsigned char>(file.get());
  file.get();
  file.read(reinterpret_cast<char*>(length), version == 1 ? 2 : 4);
  const std::size_t size = length[0] | static_cast<std::size_t>(length[1]) << 8 |
                           static_cast<std::size_t>(length[2]) << 16 | static_cast<std::size_t>(length[3]) << 24;
  if (!file || version < 1 || version > 3 || size > most_header) refuse(path, "its .npy header is damaged");
  std::string header(size, ' ');
  if (!file.read(header.data(), static_cast<std::streamsize>(size))) refuse(path, "it ends within its .npy header");
  return header;
}

void check_header(const std::string& header, const std::string& path, Type type, std::int64_t elements) {
  const auto descriptor = value_of(header, "'descr'", '\'', '\'');
  const auto fortran = value_of(header, "'fortran_order'", 'T', 'e'), c = value_of(header, "'fortran_order'", 'F', 'e');
  const auto shape = value_of(header, "'shape'", '(', ')');
  if (!descriptor || (!fortran && !c) || !shape) refuse(path, "its .npy header is damaged");
  const std::string wanted = descriptor_of(type);
  if (*descriptor != wanted)
    refuse(path, fmt::format("it holds '{}', {} needs '{}'", *descriptor, to_text(type), wanted),
           fmt::format("numpy.save(path, array.astype('{}'))", wanted));
  if (fortran) refuse(path, "it is in Fortran's order", "numpy.save(path, numpy.ascontiguousarray(array))");
  const auto held = elements_of(*shape);
  if (!held) refuse(path, "its shape (" + *shape + ") is none, or too large");
  if (*held != counted(type, elements))
    refuse(path, fmt::format("it holds {} elements (shape {}), this problem needs {}", *held, *shape,
                             counted(type, elements)));
}

}  // namespace

std::vector<std::byte> read_values(const std::string& path, Type type, std::int64_t elements) {
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "cannot read the values of a buffer");
  char magic[6] = {};
  file.read(magic, 6);
  const bool numpy = file && std::string_view(magic, 6) == "\x93NUMPY";
  file.clear();
  if (numpy) {
    check_header(header_of(file, path), path, type, elements);
  } else if (path.size() > 4 && path.compare(path.size() - 4, 4, ".npy") == 0) {
    refuse(path, "it is no .npy file");
  } else {
    file.seekg(0);
  }
  const auto begin = file.tellg();
  file.seekg(0, std::ios::end);
  const std::int64_t held = file.tellg() - begin, wanted = bytes_of(type, elements);
  if (held != wanted)
    refuse(path, fmt::format("it holds {} bytes, {} elements of {} are {}", held, elements, to_text(type), wanted));
  file.seekg(begin);
  std::vector<std::byte> bytes(static_cast<std::size_t>(wanted));
  if (!file.read(reinterpret_cast<char*>(bytes.data()), wanted)) refuse(path, "it could not be read to its end");
  return bytes;
}

}  // namespace tuner::measure
