#include "repack/output.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace tuner::repack {
namespace {

constexpr std::size_t multiple = 64;  // that a .npy header's length is padded to

template <class T>
std::string_view view(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// With the matrices in front where there are several.
std::vector<std::int64_t> shape_of(const Packed& packed, std::int64_t rows, std::int64_t columns) {
  if (packed.matrices == 1) return {rows, columns};
  return {packed.matrices, rows, columns};
}

// Of the kernels' arguments.
struct Names {
  const char *codes, *scales;
};
Names names_of(Codes kind) { return kind == Codes::q8 ? Names{"codes", "scales"} : Names{"w", "scale"}; }

}  // namespace

std::string npy(std::string_view descriptor, const std::vector<std::int64_t>& shape, std::string_view bytes) {
  std::string extents;
  for (const std::int64_t extent : shape) extents += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) extents.resize(extents.size() - 2);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descriptor, extents);
  constexpr std::size_t before = 10;
  header.resize((before + header.size() + 1 + multiple - 1) / multiple * multiple - before - 1, ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  file += '\x01';
  file += '\0';
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  file.reserve(file.size() + header.size() + bytes.size());
  file += header;
  file += bytes;
  return file;
}

std::vector<OutputFile> files_of(const Packed& packed) {
  std::vector<OutputFile> files;
  const auto add = [&](const char* of, std::string_view descriptor, std::int64_t rows, std::int64_t columns,
                       std::string_view bytes) {
    files.push_back({of, std::string(of) + ".npy", npy(descriptor, shape_of(packed, rows, columns), bytes)});
  };
  const std::int64_t groups = packed.groups();
  const Names names = names_of(packed.kind);
  add(names.codes, packed.kind == Codes::q8 ? "|i1" : "|u1", packed.rows, packed.pitch(), view(packed.codes));
  if (packed.kind == Codes::mxfp4)
    add(names.scales, "|u1", groups, packed.rows, view(packed.exponents));
  else
    add(names.scales, "<f2", groups, packed.rows, view(packed.scales));
  if (packed.zeros == Zeros::u4) add("zero", "|u1", groups, (packed.rows + 1) / 2, view(packed.zero_points));
  if (packed.zeros == Zeros::offset) add("offset", "<f2", groups, packed.rows, view(packed.offsets));
  if (!packed.order.empty()) files.push_back({"order", "order.npy", npy("<i4", {packed.columns}, view(packed.order))});
  return files;
}

std::string kernel_of(const Packed& packed) {
  if (packed.matrices == 1) return "gemv_" + std::string(to_text(packed.kind));
  if (packed.kind == Codes::q8 || packed.zeros != Zeros::none) return {};
  return "moe_gemv_" + std::string(to_text(packed.kind));
}

std::vector<std::pair<std::string, std::string>> facts_of(const Packed& packed) {
  std::vector<std::pair<std::string, std::string>> facts;
  if (packed.matrices > 1) facts.emplace_back("experts", std::to_string(packed.matrices));
  if (packed.kind != Codes::mxfp4) facts.emplace_back("group", std::to_string(packed.group));
  if (packed.zeros == Zeros::u4) facts.emplace_back("zeros", "4");
  if (packed.zeros == Zeros::offset) facts.emplace_back("zeros", "16");
  return facts;
}

std::string description_json(const Packed& packed, const std::vector<OutputFile>& files, const Source& source) {
  using Json = nlohmann::ordered_json;
  Json json{{"schema", 1}, {"kernel", kernel_of(packed)}, {"shape", {packed.rows, packed.columns}}};
  json["facts"] = Json::object();
  for (const auto& [fact, value] : facts_of(packed)) json["facts"][fact] = Json::parse(value);
  json["files"] = Json::object();
  for (const OutputFile& file : files) json["files"][file.of] = file.name;
  json["rounding"] = packed.rounding;
  json["source"] = {{"file", source.file}, {"name", source.name}, {"format", source.format}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::repack
