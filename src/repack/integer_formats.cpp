#include "repack/integer_formats.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "repack/words.h"

namespace tuner::repack {
namespace {

constexpr std::int64_t in_word = 8;

// The tensors of one layer, of sizes that fit each other.
struct Layer {
  const TensorFile& file;
  std::string name;
  std::int64_t rows = 0, columns = 0, groups = 0;
  std::string_view weights, zeros, scales, group_of;

  [[noreturn]] void refuse(const std::string& what, const std::string& hint = {}) const {
    throw UserError("'" + name + "': " + what, file.path(), hint);
  }

  const Tensor& at(const char* end, const char* type) const {
    const Tensor* found = file.find(name + end);
    if (found == nullptr) refuse(std::string("there is no tensor '") + name + end + "'");
    if (found->type != type) refuse(fmt::format("'{}{}' is of {}, not {}", name, end, found->type, type));
    if (found->shape.size() != 2 && std::string_view(end) != ".g_idx")
      refuse(fmt::format("'{}{}' has {} dimensions, not 2", name, end, found->shape.size()));
    return *found;
  }
};

std::int64_t times_eight(const Layer& layer, std::int64_t words) {
  std::int64_t all = 0;
  if (__builtin_mul_overflow(words, in_word, &all)) layer.refuse("it is impossibly large");
  return all;
}

std::int64_t divided(const Layer& layer, std::int64_t rows) {
  if (rows % in_word != 0) layer.refuse(fmt::format("its {} rows are no multiple of 8", rows));
  return rows / in_word;
}

// Sizes and bytes; K and M are those that qweight says if it is of this format. `other` has its rows where its columns
// are not, and says so.
void read_shapes(Layer& layer, std::int64_t columns, std::int64_t rows, std::int64_t rows_of_other, const char* other) {
  const Tensor &scales = layer.at(".scales", "F16"), &zeros = layer.at(".qzeros", "I32");
  layer.rows = rows;
  layer.columns = columns;
  layer.groups = scales.shape[0];
  layer.scales = scales.bytes;
  layer.zeros = zeros.bytes;
  if (rows < 1 || columns < 1 || layer.groups < 1) layer.refuse("it is empty");
  if (scales.shape[1] != rows && scales.shape[1] == rows_of_other)
    layer.refuse("its shapes are those of another format", std::string("--format ") + other);
  if (scales.shape[1] != rows || zeros.shape[0] != layer.groups || zeros.shape[1] != divided(layer, rows))
    layer.refuse(fmt::format("qzeros [{}, {}] and scales [{}, {}] do not belong to {} rows of {} columns",
                             zeros.shape[0], zeros.shape[1], scales.shape[0], scales.shape[1], rows, columns));
}

// Columns of a group, from how many there are: nothing else in the file says it.
std::int64_t group_size(const Layer& layer) {
  if (layer.groups == 1) return 0;
  for (const std::int64_t size : {32, 64, 128})
    if ((layer.columns + size - 1) / size == layer.groups) return size;
  layer.refuse(
      fmt::format("{} groups of {} columns are of none of 32, 64, 128 or all columns", layer.groups, layer.columns));
}

// The columns in the order of their groups; empty where they are so already.
std::vector<std::int32_t> sorted_columns(const Layer& layer, std::int64_t group) {
  const auto of = [&](std::int64_t k) { return std::int64_t{word_at<std::int32_t>(layer.group_of, k)}; };
  if (layer.group_of.empty()) return {};
  std::vector<std::int64_t> members(static_cast<std::size_t>(layer.groups), 0);
  bool sorted = true;
  for (std::int64_t k = 0; k < layer.columns; ++k) {
    if (of(k) < 0 || of(k) >= layer.groups)
      layer.refuse(fmt::format("g_idx puts column {} into group {} of {}", k, of(k), layer.groups));
    ++members[static_cast<std::size_t>(of(k))];
    sorted &= group == 0 || of(k) == k / group;
  }
  if (sorted) return {};
  for (std::int64_t g = 0; g < layer.groups; ++g)
    if (members[static_cast<std::size_t>(g)] != std::min(group, layer.columns - g * group))
      layer.refuse(fmt::format("g_idx puts {} columns into group {}, which has {}",
                               members[static_cast<std::size_t>(g)], g, std::min(group, layer.columns - g * group)),
                   "only groups of equal size can be brought together");
  std::vector<std::int32_t> order(static_cast<std::size_t>(layer.columns));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return of(a) < of(b); });
  return order;
}

void copy_scales(const Layer& layer, Packed& packed) {
  for (std::int64_t i = 0; i < layer.groups * layer.rows; ++i) {
    const auto bits = word_at<std::uint16_t>(layer.scales, i);
    if (!is_finite_f16(bits))
      layer.refuse(fmt::format("the scale of row {} in group {} is no finite number", i % layer.rows, i / layer.rows));
    packed.scales[static_cast<std::size_t>(i)] = bits;
  }
}

// zero(group, row); zeros none where all are 8.
template <class Zero>
Packed with_zeros(const Layer& layer, std::int64_t group, Zero&& zero) {
  std::vector<std::uint8_t> all(static_cast<std::size_t>(layer.groups * layer.rows));
  for (std::int64_t g = 0; g < layer.groups; ++g)
    for (std::int64_t row = 0; row < layer.rows; ++row)
      all[static_cast<std::size_t>(g * layer.rows + row)] = static_cast<std::uint8_t>(zero(g, row));
  const bool symmetric = std::all_of(all.begin(), all.end(), [](std::uint8_t each) { return each == 8; });
  Packed packed = packed_of(Codes::q4, symmetric ? Zeros::none : Zeros::u4, 1, layer.rows, layer.columns, group);
  const std::int64_t pitch = (layer.rows + 1) / 2;
  for (std::int64_t i = 0; !symmetric && i < layer.groups * layer.rows; ++i) {
    const std::int64_t g = i / layer.rows, row = i % layer.rows;
    packed.zero_points[static_cast<std::size_t>(g * pitch + row / 2)] |=
        static_cast<std::uint8_t>(all[static_cast<std::size_t>(i)] << (row % 2 * 4));
  }
  copy_scales(layer, packed);
  return packed;
}

// code(k, row) of the source into each place, some rows at a time: the source lies by columns, the codes by rows.
template <class Code>
void copy_codes(Packed& packed, Code&& code) {
  constexpr std::int64_t at_once = 64;
  for (std::int64_t first = 0; first < packed.rows; first += at_once)
    for (std::int64_t k = 0; k < packed.columns; ++k)
      for (std::int64_t row = first; row < std::min(first + at_once, packed.rows); ++row)
        put_code(&packed.codes[static_cast<std::size_t>(row * packed.pitch())], k, code(k, row));
}

}  // namespace

Packed from_gptq(const TensorFile& file, const std::string& name, bool stored_less_one) {
  Layer layer{file, name, 0, 0, 0, {}, {}, {}, {}};
  const Tensor& weights = layer.at(qweight_end, "I32");
  const std::int64_t columns = times_eight(layer, weights.shape[0]);
  read_shapes(layer, columns, weights.shape[1], times_eight(layer, weights.shape[1]), "awq");
  layer.weights = weights.bytes;
  if (file.find(name + ".g_idx") != nullptr) {
    const Tensor& group_of = layer.at(".g_idx", "I32");
    if (group_of.shape != std::vector<std::int64_t>{columns})
      layer.refuse(fmt::format("g_idx is not of the {} columns that 4-bit codes would make", columns),
                   "only 4-bit codes can be repacked");
    layer.group_of = group_of.bytes;
  }
  const std::int64_t group = group_size(layer);
  Packed packed = with_zeros(layer, group, [&](std::int64_t g, std::int64_t row) {
    const auto word = word_at<std::uint32_t>(layer.zeros, g * (layer.rows / in_word) + row / in_word);
    const unsigned stored = word >> (row % in_word * 4) & 15;
    if (stored_less_one && stored == 15)
      layer.refuse(
          fmt::format("the zero point of row {} in group {} is stored as 15, which means 16 to some readers and "
                      "0 to others: it overflowed when it was written",
                      row, g),
          "if the checkpoint_format of its config is gptq_v2, say --format gptq_v2; else convert it from its "
          "unquantised weights again");
    return stored + (stored_less_one ? 1 : 0);
  });
  packed.order = sorted_columns(layer, group);
  copy_codes(packed, [&](std::int64_t k, std::int64_t row) {
    const std::int64_t from = packed.order.empty() ? k : packed.order[static_cast<std::size_t>(k)];
    return word_at<std::uint32_t>(layer.weights, from / in_word * layer.rows + row) >> (from % in_word * 4) & 15;
  });
  return packed;
}

Packed from_awq(const TensorFile& file, const std::string& name) {
  Layer layer{file, name, 0, 0, 0, {}, {}, {}, {}};
  const Tensor& weights = layer.at(qweight_end, "I32");
  const std::int64_t rows = times_eight(layer, weights.shape[1]);
  read_shapes(layer, weights.shape[0], rows, weights.shape[1], "gptq, or gptq_v2");
  layer.weights = weights.bytes;
  // Of row `row` in line `line` of words.
  const auto code = [&](std::string_view words, std::int64_t line, std::int64_t row) {
    const std::int64_t within = row % in_word, half = within % 2 * 4 + within / 2;
    return word_at<std::uint32_t>(words, line * (rows / in_word) + row / in_word) >> (half * 4) & 15;
  };
  Packed packed =
      with_zeros(layer, group_size(layer), [&](std::int64_t g, std::int64_t row) { return code(layer.zeros, g, row); });
  copy_codes(packed, [&](std::int64_t k, std::int64_t row) { return code(layer.weights, k, row); });
  return packed;
}

}  // namespace tuner::repack
