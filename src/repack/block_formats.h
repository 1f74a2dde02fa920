// Rows of blocks that hold their own scale: GGUF's types and MXFP4.
#pragma once

#include <string>

#include "repack/packed.h"
#include "repack/tensor_file.h"

namespace tuner::repack {

// A GGUF tensor of type Q4_0, Q4_K, Q8_0 or MXFP4, [M][K] or, stacked, [E][M][K].
//   Q4_0:  32 weights, f16 d, half bytes of which byte j holds weights j and j + 16; w = d (q - 8)
//   Q8_0:  32 weights, f16 d, 32 signed bytes; w = d q
//   Q4_K:  256 weights, f16 d and dmin, eight 6-bit scales and minima, half bytes; w = d scale q - dmin minimum. The
//   two
//          products are rounded to f16, once each: `rounding` is the most that this moves a weight.
//   MXFP4: 32 weights, an exponent, half bytes as of Q4_0.
// Refused, as UserError with the block's place: scales that are not finite, products that f16 cannot hold, exponent
// 255.
Packed from_gguf(const TensorFile& file, const Tensor& tensor);

// MXFP4 in safetensors: `blocks` u8 [...][M][K/32][16], the low half of byte j holding weight 2 j of its block, and
// `scales` u8 [...][M][K/32]. Throws UserError, for exponent 255 (not a number) as well.
Packed from_mxfp4(const TensorFile& file, const Tensor& blocks, const Tensor& scales);

}  // namespace tuner::repack
