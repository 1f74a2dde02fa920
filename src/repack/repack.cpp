#include "repack/repack.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/suggest.h"
#include "repack/block_formats.h"
#include "repack/integer_formats.h"

namespace tuner::repack {
namespace {

constexpr std::array<std::pair<Format, std::string_view>, 5> formats{{{Format::gptq, "gptq"},
                                                                      {Format::gptq_v2, "gptq_v2"},
                                                                      {Format::awq, "awq"},
                                                                      {Format::mxfp4, "mxfp4"},
                                                                      {Format::gguf, "gguf"}}};
constexpr const char* gptq_words = "gptq or gptq_v2";

// As gpt-oss is published, and as transformers names the same.
struct MxEnds {
  std::string_view blocks, scales;
};
constexpr MxEnds mx_ends[] = {{".blocks", ".scales"}, {"_blocks", "_scales"}};

std::optional<std::string> before(const std::string& name, std::string_view end) {
  if (name.size() <= end.size() || name.compare(name.size() - end.size(), end.size(), end) != 0) return std::nullopt;
  return name.substr(0, name.size() - end.size());
}

bool is_matrix(const Tensor* tensor) { return tensor != nullptr && tensor->shape.size() == 2; }

// GPTQ has as many scales in a row as qweight has words, AWQ eight times as many.
Weight integers(const TensorFile& file, const std::string& name, const Tensor& qweight) {
  Weight weight{name, gptq_words, {}};
  const Tensor* scales = file.find(name + ".scales");
  if (!is_matrix(scales) || !is_matrix(&qweight)) return weight;
  const std::int64_t lines = qweight.shape[0], words = qweight.shape[1], rows = scales->shape[1];
  if (rows == words && lines < INT64_MAX / 8) weight.shape = {rows, lines * 8};
  if (rows != words && words < INT64_MAX / 8 && rows == words * 8) weight = {name, "awq", {rows, lines}};
  return weight;
}

std::optional<Weight> weight_of(const TensorFile& file, const Tensor& tensor) {
  if (file.kind() == TensorFile::Kind::gguf) {
    static constexpr std::string_view kTypes[] = {"Q4_0", "Q4_K", "Q8_0", "MXFP4"};
    const bool known = std::find(std::begin(kTypes), std::end(kTypes), tensor.type) != std::end(kTypes);
    if (!known || tensor.shape.size() < 2) return std::nullopt;
    return Weight{tensor.name, tensor.type, tensor.shape};
  }
  if (const auto name = before(tensor.name, qweight_end)) return integers(file, *name, tensor);
  for (const MxEnds& ends : mx_ends) {
    const auto name = before(tensor.name, ends.blocks);
    if (!name || file.find(*name + std::string(ends.scales)) == nullptr) continue;
    Weight weight{*name, "mxfp4", {}};
    if (tensor.shape.size() < 3 || tensor.shape[tensor.shape.size() - 2] >= INT64_MAX / 32) return weight;
    weight.shape.assign(tensor.shape.begin(), tensor.shape.end() - 1);
    weight.shape.back() *= 32;
    return weight;
  }
  return std::nullopt;
}

Weight named(const TensorFile& file, const std::string& name) {
  std::vector<std::string> known;
  for (Weight& weight : weights_in(file)) {
    if (weight.name == name) return std::move(weight);
    known.push_back(weight.name);
  }
  const std::string hint = known.empty() ? "it holds no weights that can be repacked" : did_you_mean(name, known);
  throw UserError("there is no '" + name + "'", file.path(),
                  hint.empty() ? "tuner repack FILE lists what there is" : hint);
}

Format chosen(const TensorFile& file, const Weight& weight, std::optional<Format> format) {
  if (file.kind() == TensorFile::Kind::gguf) {
    if (format && *format != Format::gguf)
      throw UserError("'" + weight.name + "' is a tensor of a GGUF file, of type " + weight.format, file.path(),
                      "leave --format out");
    return Format::gguf;
  }
  if (format == Format::gguf) throw UserError("this is a safetensors file", file.path(), "--format " + weight.format);
  const bool is_mx = weight.format == "mxfp4";
  if (format && is_mx != (*format == Format::mxfp4))
    throw UserError("'" + weight.name + "' is not of format " + std::string(to_text(*format)), file.path(),
                    "--format " + weight.format);
  if (format) return *format;
  if (is_mx) return Format::mxfp4;
  if (weight.format == "awq") return Format::awq;
  throw UserError(
      "'" + weight.name + "' is of one of two formats, which the file does not tell apart", file.path(),
      "--format gptq_v2 where the model's config says \"checkpoint_format\": \"gptq_v2\", else --format gptq");
}

// Number `matrix` of those that a tensor stacks; each has `inner` dimensions.
Tensor matrix_of(const TensorFile& file, const std::string& name, const Tensor& tensor, std::size_t inner,
                 std::int64_t matrix) {
  Tensor one = tensor;
  if (tensor.shape.size() < inner) return one;  // refused as what it is
  one.shape.erase(one.shape.begin(), one.shape.end() - static_cast<std::ptrdiff_t>(inner));
  std::int64_t stacked = 1;
  bool empty = tensor.bytes.empty();
  for (std::size_t i = 0; i + inner < tensor.shape.size() && !empty; ++i) stacked *= tensor.shape[i];
  if (matrix < 0 || empty || matrix >= stacked)
    throw UserError(fmt::format("'{}' has no matrix {}", name, matrix), file.path(),
                    fmt::format("they are counted from 0 to {}", stacked - 1));
  const std::size_t bytes = tensor.bytes.size() / static_cast<std::size_t>(stacked);
  one.bytes = tensor.bytes.substr(static_cast<std::size_t>(matrix) * bytes, bytes);
  return one;
}

}  // namespace

std::string_view to_text(Format format) {
  for (const auto& [each, text] : formats)
    if (each == format) return text;
  return {};
}

std::optional<Format> format_from_text(std::string_view text) {
  for (const auto& [format, word] : formats)
    if (word == text) return format;
  return std::nullopt;
}

std::vector<Weight> weights_in(const TensorFile& file) {
  std::vector<Weight> weights;
  for (const Tensor& tensor : file.tensors())
    if (auto weight = weight_of(file, tensor)) weights.push_back(std::move(*weight));
  return weights;
}

Packed repack(const TensorFile& file, const std::string& name, const Choice& choice) {
  const Weight weight = named(file, name);
  const Format format = chosen(file, weight, choice.format);
  const auto part = [&](const Tensor& tensor, std::size_t inner) {
    return choice.matrix ? matrix_of(file, name, tensor, inner, *choice.matrix) : tensor;
  };
  if (format == Format::gguf) return from_gguf(file, part(*file.find(name), 2));
  for (const MxEnds& ends : mx_ends) {
    const Tensor* blocks = file.find(name + std::string(ends.blocks));
    const Tensor* scales = file.find(name + std::string(ends.scales));
    if (format == Format::mxfp4 && blocks != nullptr && scales != nullptr)
      return from_mxfp4(file, part(*blocks, 3), part(*scales, 2));
  }
  if (choice.matrix.value_or(0) != 0) throw UserError("'" + name + "' is one matrix", file.path());
  return format == Format::awq ? from_awq(file, name) : from_gptq(file, name, format == Format::gptq);
}

}  // namespace tuner::repack
