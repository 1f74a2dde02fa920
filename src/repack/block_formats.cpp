#include "repack/block_formats.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/number.h"
#include "repack/words.h"

namespace tuner::repack {
namespace {

constexpr std::int64_t in_block = 32;  // weights that share a scale
constexpr unsigned nan_exponent = 255;

// One matrix after the other, row by row, block by block.
class Blocks {
 public:
  Blocks(const TensorFile& file, const Tensor& tensor, Packed& packed)
      : file_(file), tensor_(tensor), packed_(packed) {}

  // A stretch of `weights` columns: block(bytes) for each, with `bytes` of it.
  template <class Block>
  void each(std::int64_t weights, std::int64_t bytes, Block&& block) {
    const std::int64_t in_row = packed_.columns / weights;
    for (row_ = 0; row_ < packed_.matrices * packed_.rows; ++row_)
      for (std::int64_t i = 0; i < in_row; ++i) {
        column_ = i * weights;
        block(tensor_.bytes.substr(static_cast<std::size_t>((row_ * in_row + i) * bytes),
                                   static_cast<std::size_t>(bytes)));
      }
  }

  // Of the present block; k counts from its first column.
  void put(std::int64_t k, unsigned code) {
    put_code(&packed_.codes[static_cast<std::size_t>(row_ * packed_.pitch())], column_ + k, code);
  }
  // Byte j holds weights j and j + 16.
  void put_halves(std::string_view bytes) {
    for (std::int64_t j = 0; j < in_block / 2; ++j) {
      put(j, word_at<std::uint8_t>(bytes, j) & 15U);
      put(j + in_block / 2, word_at<std::uint8_t>(bytes, j) >> 4);
    }
  }
  std::uint8_t* bytes() { return &packed_.codes[static_cast<std::size_t>(row_ * packed_.pitch() + column_)]; }

  // Where the scale of the group that begins k columns on stands.
  std::size_t scale(std::int64_t k = 0) const {
    const std::int64_t matrix = row_ / packed_.rows, group = (column_ + k) / in_block;
    return static_cast<std::size_t>((matrix * packed_.groups() + group) * packed_.rows + row_ % packed_.rows);
  }
  std::uint16_t finite(std::uint16_t bits, const char* what) const {
    if (!is_finite_f16(bits)) refuse(fmt::format("{} is no finite number", what));
    return bits;
  }
  std::uint8_t exponent(std::uint8_t bits) const {
    if (bits == nan_exponent) refuse("the scale is not a number (E8M0 255)");
    return bits;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw UserError(fmt::format("'{}', row {}, columns from {} on: ", tensor_.name, row_, column_) + what,
                    file_.path());
  }

 private:
  const TensorFile& file_;
  const Tensor& tensor_;
  Packed& packed_;
  std::int64_t row_ = 0, column_ = 0;
};

// Matrices, rows and columns of a tensor whose last dimensions, but for `inner` of them, are those.
Packed sized(const TensorFile& file, const Tensor& tensor, std::size_t inner, std::int64_t column_factor, Codes kind,
             Zeros zeros) {
  const std::vector<std::int64_t>& shape = tensor.shape;
  if (shape.size() < 2 + inner)
    throw UserError(fmt::format("'{}' has {} dimensions: it is no matrix", tensor.name, shape.size()), file.path());
  const std::size_t last = shape.size() - 1 - inner;
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent < 1; }))
    throw UserError("'" + tensor.name + "' is empty", file.path());
  std::int64_t matrices = 1;  // no more than there are bytes
  for (std::size_t i = 0; i + 1 < last; ++i) matrices *= shape[i];
  return packed_of(kind, zeros, matrices, shape[last - 1], shape[last] * column_factor, in_block);
}

void q4_0(Blocks& blocks, Packed& packed) {
  blocks.each(32, 18, [&](std::string_view block) {
    packed.scales[blocks.scale()] = blocks.finite(word_at<std::uint16_t>(block, 0), "d");
    blocks.put_halves(block.substr(2));
  });
}

void q8_0(Blocks& blocks, Packed& packed) {
  blocks.each(32, 34, [&](std::string_view block) {
    packed.scales[blocks.scale()] = blocks.finite(word_at<std::uint16_t>(block, 0), "d");
    std::copy(block.begin() + 2, block.end(), blocks.bytes());
  });
}

void gguf_mxfp4(Blocks& blocks, Packed& packed) {
  blocks.each(32, 17, [&](std::string_view block) {
    packed.exponents[blocks.scale()] = blocks.exponent(word_at<std::uint8_t>(block, 0));
    blocks.put_halves(block.substr(1));
  });
}

// Scale and minimum number j of 8, from 12 bytes of 6-bit numbers: the first four lie in the low bits of bytes j and
// j + 4, of the others the low four bits in byte j + 4 and the high two on top of bytes j - 4 and j.
std::pair<unsigned, unsigned> sixes(std::string_view bytes, std::int64_t j) {
  const auto at = [&](std::int64_t i) { return unsigned{word_at<std::uint8_t>(bytes, i)}; };
  if (j < 4) return {at(j) & 63, at(j + 4) & 63};
  return {(at(j + 4) & 15) | at(j - 4) >> 6 << 4, at(j + 4) >> 4 | at(j) >> 6 << 4};
}

void q4_k(Blocks& blocks, Packed& packed) {
  const auto product = [&](double a, unsigned b, const char* what) {
    const std::uint16_t rounded = to_f16(a * b);
    if (!is_finite_f16(rounded)) blocks.refuse(fmt::format("{} is {}, beyond what f16 holds", what, a * b));
    return rounded;
  };
  blocks.each(256, 144, [&](std::string_view block) {
    const double d = from_f16(blocks.finite(word_at<std::uint16_t>(block, 0), "d"));
    const double dmin = from_f16(blocks.finite(word_at<std::uint16_t>(block, 1), "dmin"));
    for (std::int64_t j = 0; j < 8; ++j) {
      const auto [scale, minimum] = sixes(block.substr(4, 12), j);
      const std::uint16_t s = product(d, scale, "d times its scale"),
                          o = product(dmin, minimum, "dmin times its minimum");
      packed.scales[blocks.scale(j * in_block)] = s;
      packed.offsets[blocks.scale(j * in_block)] = o;
      packed.rounding =
          std::max(packed.rounding, 15 * std::abs(from_f16(s) - d * scale) + std::abs(from_f16(o) - dmin * minimum));
      // 32 bytes hold two groups: the first in the low halves.
      for (std::int64_t k = 0; k < in_block; ++k)
        blocks.put(j * in_block + k, word_at<std::uint8_t>(block, 16 + j / 2 * in_block + k) >> (j % 2 * 4) & 15U);
    }
  });
}

}  // namespace

Packed from_gguf(const TensorFile& file, const Tensor& tensor) {
  const bool is_q8 = tensor.type == "Q8_0", is_mx = tensor.type == "MXFP4", is_k = tensor.type == "Q4_K";
  if (!is_q8 && !is_mx && !is_k && tensor.type != "Q4_0")
    throw UserError("'" + tensor.name + "' is of " + tensor.type, file.path(),
                    "Q4_0, Q4_K, Q8_0 and MXFP4 can be repacked");
  Packed packed = sized(file, tensor, 0, 1,
                        is_q8   ? Codes::q8
                        : is_mx ? Codes::mxfp4
                                : Codes::q4,
                        is_k ? Zeros::offset : Zeros::none);
  Blocks blocks(file, tensor, packed);
  if (is_q8) q8_0(blocks, packed);
  if (is_mx) gguf_mxfp4(blocks, packed);
  if (is_k) q4_k(blocks, packed);
  if (tensor.type == "Q4_0") q4_0(blocks, packed);
  return packed;
}

Packed from_mxfp4(const TensorFile& file, const Tensor& blocks, const Tensor& scales) {
  const auto refuse = [&](const Tensor& tensor, const std::string& what) {
    throw UserError("'" + tensor.name + "' " + what, file.path());
  };
  for (const Tensor* tensor : {&blocks, &scales})
    if (tensor->type != "U8") refuse(*tensor, "is of " + tensor->type + ", not U8");
  if (blocks.shape.empty() || blocks.shape.back() != in_block / 2) refuse(blocks, "does not end in blocks of 16 bytes");
  const std::vector<std::int64_t> outer(blocks.shape.begin(), blocks.shape.end() - 1);
  if (scales.shape != outer) refuse(scales, "is not of the shape of its blocks");
  Packed packed = sized(file, blocks, 1, in_block, Codes::mxfp4, Zeros::none);
  Blocks at(file, blocks, packed);
  std::int64_t next = 0;
  at.each(in_block, in_block / 2, [&](std::string_view block) {
    packed.exponents[at.scale()] = at.exponent(word_at<std::uint8_t>(scales.bytes, next++));
    for (std::int64_t j = 0; j < in_block / 2; ++j) {
      at.put(2 * j, word_at<std::uint8_t>(block, j) & 15U);
      at.put(2 * j + 1, word_at<std::uint8_t>(block, j) >> 4);
    }
  });
  return packed;
}

}  // namespace tuner::repack
