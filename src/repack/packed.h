// Quantised matrices as our kernels read them: docs/formats.md.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tuner::repack {

enum class Codes { q4, q8, mxfp4 };
std::string_view to_text(Codes codes);  // as the kernels' names end: gemv_q4

enum class Zeros { none, u4, offset };

// w[row][k] of a matrix is, with g = k / group (0 where group is 0):
//   q4, zeros none:   scale[g][row] * (code - 8)
//   q4, zeros u4:     scale[g][row] * (code - zero[g][row])
//   q4, zeros offset: scale[g][row] * code - offset[g][row]
//   q8:               scale[g][row] * code, of -128 to 127
//   mxfp4:            2^(exponent[g][row] - 127) * E2M1[code]
struct Packed {
  Codes kind = Codes::q4;
  Zeros zeros = Zeros::none;
  std::int64_t matrices = 1;  // stacked, each whole: the experts of a layer
  std::int64_t rows = 0, columns = 0;
  std::int64_t group = 0;  // columns that share a scale; 0: a whole row

  std::vector<std::uint8_t> codes;        // [matrices][rows][pitch]
  std::vector<std::uint16_t> scales;      // f16 [matrices][groups][rows]; not of mxfp4
  std::vector<std::uint8_t> exponents;    // [matrices][groups][rows]; mxfp4
  std::vector<std::uint8_t> zero_points;  // [matrices][groups][ceil(rows / 2)], low half first; u4
  std::vector<std::uint16_t> offsets;     // f16 [matrices][groups][rows]; offset
  // Column k of the codes is column order[k] of the source: x[order[k]] belongs there. Empty: they are the same.
  std::vector<std::int32_t> order;
  // The most by which a weight here differs from what the source's format says; 0: none does.
  double rounding = 0;

  std::int64_t groups() const;
  std::int64_t pitch() const;  // bytes from row to row of the codes, a multiple of 16
};

// Everything of the right size and zero, padding included.
Packed packed_of(Codes kind, Zeros zeros, std::int64_t matrices, std::int64_t rows, std::int64_t columns,
                 std::int64_t group);

// Writes code `code` of column k into a row of 4-bit codes. In each word of 32 bits half byte i holds column
// 0, 2, 4, 6, 1, 3, 5, 7 of its eight. The half byte must be 0.
inline void put_code(std::uint8_t* row, std::int64_t k, unsigned code) {
  const std::int64_t within = k % 8, half = within % 2 * 4 + within / 2;
  row[k / 8 * 4 + half / 2] |= static_cast<std::uint8_t>(code << (half % 2 * 4));
}

}  // namespace tuner::repack
