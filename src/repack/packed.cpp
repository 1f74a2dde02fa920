#include "repack/packed.h"

namespace tuner::repack {
namespace {

std::size_t count(std::int64_t a, std::int64_t b, std::int64_t c) { return static_cast<std::size_t>(a * b * c); }

}  // namespace

std::string_view to_text(Codes codes) { return codes == Codes::q4 ? "q4" : codes == Codes::q8 ? "q8" : "mxfp4"; }

std::int64_t Packed::groups() const { return group == 0 ? 1 : (columns + group - 1) / group; }

std::int64_t Packed::pitch() const { return kind == Codes::q8 ? (columns + 15) / 16 * 16 : (columns + 31) / 32 * 16; }

Packed packed_of(Codes kind, Zeros zeros, std::int64_t matrices, std::int64_t rows, std::int64_t columns,
                 std::int64_t group) {
  Packed packed;
  packed.kind = kind;
  packed.zeros = zeros;
  packed.matrices = matrices;
  packed.rows = rows;
  packed.columns = columns;
  packed.group = group;
  packed.codes.assign(count(matrices, rows, packed.pitch()), 0);
  if (kind == Codes::mxfp4)
    packed.exponents.assign(count(matrices, packed.groups(), rows), 0);
  else
    packed.scales.assign(count(matrices, packed.groups(), rows), 0);
  if (zeros == Zeros::u4) packed.zero_points.assign(count(matrices, packed.groups(), (rows + 1) / 2), 0);
  if (zeros == Zeros::offset) packed.offsets.assign(count(matrices, packed.groups(), rows), 0);
  return packed;
}

}  // namespace tuner::repack
