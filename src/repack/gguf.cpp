#include "repack/gguf.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/error.h"

namespace tuner::repack {
namespace {

constexpr std::string_view magic = "GGUF";
constexpr std::uint32_t most_dims = 4;
constexpr int most_nesting = 4;
constexpr std::uint64_t default_alignment = 32;

// Of `weights` in a row are `bytes`. https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h
struct BlockType {
  std::uint32_t number;
  const char* name;
  std::int64_t weights, bytes;
};
constexpr BlockType block_types[] = {
    {0, "F32", 1, 4},       {1, "F16", 1, 2},       {2, "Q4_0", 32, 18},    {3, "Q4_1", 32, 20},
    {6, "Q5_0", 32, 22},    {7, "Q5_1", 32, 24},    {8, "Q8_0", 32, 34},    {10, "Q2_K", 256, 84},
    {11, "Q3_K", 256, 110}, {12, "Q4_K", 256, 144}, {13, "Q5_K", 256, 176}, {14, "Q6_K", 256, 210},
    {24, "I8", 1, 1},       {25, "I16", 1, 2},      {26, "I32", 1, 4},      {27, "I64", 1, 8},
    {28, "F64", 1, 8},      {30, "BF16", 1, 2},     {39, "MXFP4", 32, 17},
};

enum ValueType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

class GgufReader {
 public:
  GgufReader(std::string_view file, const std::string& path) : file_(file), path_(path) {}

  std::vector<Tensor> tensors() {
    at_ = magic.size();
    const auto version = take<std::uint32_t>();
    if (const std::uint32_t swapped = __builtin_bswap32(version); swapped > 0 && swapped < 4)
      throw UserError("this GGUF file is big-endian", path_);
    if (version < 2 || version > 3)
      throw UserError(fmt::format("this is GGUF version {}", version), path_, "versions 2 and 3 can be read");
    const auto count = take<std::uint64_t>(), values = take<std::uint64_t>();
    for (std::uint64_t i = 0; i < values; ++i) value();
    struct Placed {
      Tensor tensor;
      std::uint32_t type;
      std::uint64_t offset;
    };
    std::vector<Placed> placed;
    for (std::uint64_t i = 0; i < count; ++i) {
      Placed next;
      next.tensor.name = text();
      next.tensor.shape = shape(next.tensor.name);
      next.type = take<std::uint32_t>();
      next.offset = take<std::uint64_t>();
      placed.push_back(std::move(next));
    }
    const std::uint64_t data = (at_ + alignment_ - 1) / alignment_ * alignment_;
    std::vector<Tensor> tensors;
    for (Placed& each : placed) {
      place(each.tensor, each.type, data, each.offset);
      tensors.push_back(std::move(each.tensor));
    }
    return tensors;
  }

 private:
  [[noreturn]] void cut_short(const std::string& where) const {
    throw UserError("the file is cut short: it ends within " + where, path_, "download it again");
  }
  [[noreturn]] void damaged(const std::string& what) const {
    throw UserError("the GGUF header is damaged: " + what, path_);
  }

  std::string_view take_bytes(std::uint64_t size) {
    if (size > file_.size() - at_) cut_short("its GGUF header");
    const std::string_view bytes = file_.substr(at_, static_cast<std::size_t>(size));
    at_ += static_cast<std::size_t>(size);
    return bytes;
  }

  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T number;
    std::memcpy(&number, take_bytes(sizeof(T)).data(), sizeof(T));
    return number;
  }

  std::string text() { return std::string(take_bytes(take<std::uint64_t>())); }

  std::vector<std::int64_t> shape(const std::string& name) {
    const auto dims = take<std::uint32_t>();
    if (dims < 1 || dims > most_dims) damaged(fmt::format("'{}' has {} dimensions", name, dims));
    std::vector<std::int64_t> shape;
    for (std::uint32_t i = 0; i < dims; ++i) {
      const auto extent = take<std::uint64_t>();
      if (extent > std::uint64_t{INT64_MAX}) damaged("'" + name + "' has an impossible shape");
      shape.push_back(static_cast<std::int64_t>(extent));
    }
    std::reverse(shape.begin(), shape.end());
    return shape;
  }

  // A key and its value, of which the alignment alone is kept.
  void value() {
    const std::string key = text();
    const auto type = take<std::uint32_t>();
    if (key != "general.alignment") return skip(key, type, 0);
    if (type != u32) damaged("general.alignment is no 32-bit number");
    alignment_ = take<std::uint32_t>();
    if (alignment_ == 0 || (alignment_ & (alignment_ - 1)) != 0)
      damaged(fmt::format("general.alignment is {}", alignment_));
  }

  void skip(const std::string& key, std::uint32_t type, int nesting) {
    static constexpr int kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    if (type >= std::size(kSizes)) damaged(fmt::format("'{}' is of type {}", key, type));
    if (type == string) {
      take_bytes(take<std::uint64_t>());
      return;
    }
    if (type != array) {
      take_bytes(static_cast<std::uint64_t>(kSizes[type]));
      return;
    }
    if (nesting == most_nesting) damaged("'" + key + "' is nested too deep");
    const auto element = take<std::uint32_t>();
    const auto count = take<std::uint64_t>();
    if (element >= std::size(kSizes)) damaged(fmt::format("'{}' holds elements of type {}", key, element));
    std::uint64_t bytes = 0;
    if (kSizes[element] > 0) {
      if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(kSizes[element]), &bytes))
        cut_short("its GGUF header");
      take_bytes(bytes);
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i) skip(key, element, nesting + 1);
  }

  void place(Tensor& tensor, std::uint32_t type, std::uint64_t data, std::uint64_t offset) const {
    const auto known = std::find_if(std::begin(block_types), std::end(block_types),
                                    [type](const BlockType& each) { return each.number == type; });
    if (known == std::end(block_types)) {
      tensor.type = fmt::format("type {}", type);
      return;
    }
    tensor.type = known->name;
    if (offset % alignment_ != 0) damaged("'" + tensor.name + "' is not aligned");
    if (tensor.shape.back() % known->weights != 0)
      damaged(fmt::format("the rows of '{}' are no whole blocks of {}", tensor.name, known->weights));
    std::int64_t bytes = tensor.shape.back() / known->weights;
    bool impossible = __builtin_mul_overflow(bytes, known->bytes, &bytes);
    for (std::size_t i = 0; i + 1 < tensor.shape.size(); ++i)
      impossible |= __builtin_mul_overflow(bytes, tensor.shape[i], &bytes);
    if (impossible) damaged("'" + tensor.name + "' has an impossible shape");
    if (data > file_.size() || offset > file_.size() - data ||
        static_cast<std::uint64_t>(bytes) > file_.size() - data - offset)
      cut_short("the data of '" + tensor.name + "'");
    tensor.bytes = file_.substr(static_cast<std::size_t>(data + offset), static_cast<std::size_t>(bytes));
  }

  std::string_view file_;
  const std::string& path_;
  std::size_t at_ = 0;
  std::uint64_t alignment_ = default_alignment;
};

}  // namespace

bool is_gguf(std::string_view file) { return file.substr(0, magic.size()) == magic; }

std::vector<Tensor> read_gguf(std::string_view file, const std::string& path) {
  if (!is_gguf(file)) throw UserError("this is no GGUF file", path);
  return GgufReader(file, path).tensors();
}

}  // namespace tuner::repack
