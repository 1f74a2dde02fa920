// GPTQ and AWQ: 4-bit integers with a scale and a zero point for each group of columns, in safetensors.
#pragma once

#include <string>

#include "repack/packed.h"
#include "repack/tensor_file.h"

namespace tuner::repack {

// What a layer's name is followed by in the names of its tensors.
inline constexpr const char* qweight_end = ".qweight";

// NAME.qweight i32 [K/8][M], eight columns of a row in a word, the first lowest; NAME.scales f16 [G][M]; NAME.qzeros
// i32 [G][M/8]; NAME.g_idx i32 [K], the group of each column, may be absent. `stored_less_one`: version 1, where zero
// points are stored less one. There a stored 15 is refused: it comes from an overflow when it was written, and some
// readers take it for 16, others for 0. Where the groups are not runs of columns (act-order), the columns are sorted by
// group and `order` says how. A matrix whose zero points are all 8 has zeros none. Throws UserError.
Packed from_gptq(const TensorFile& file, const std::string& name, bool stored_less_one);

// NAME.qweight i32 [K][M/8], eight rows of a column in a word, half byte i that of row 0, 2, 4, 6, 1, 3, 5, 7;
// NAME.qzeros i32 [G][M/8] likewise; NAME.scales f16 [G][M]. Throws UserError.
Packed from_awq(const TensorFile& file, const std::string& name);

}  // namespace tuner::repack
