// A manifest close to a real one, and small edits of it.
#pragma once

#include <string>
#include <string_view>

namespace tuner::spec {

// clang-format off
inline constexpr std::string_view kGemv = R"yaml(tuner: 1
kernel: gemv_f16
family: gemv
dtype: f16
doc: y = A x
source: gemv.cu
entry: gemv
requires: arch >= 75
dims: [M, N]
facts: {y: f16, batch: 1, row_stride: N}
params:
  variant: [vec, warp, shared, coalesced, naive]
  block_size: [64, 128, 256, 512]
  rows_per_warp: {values: [1, 2, 4], when: "variant in (warp, vec)"}
  warps_per_row: {values: [1, 2, 4, 8], when: "variant in (warp, vec)"}
  vector_width: {values: [2, 4, 8], when: variant == vec}
  unroll: {values: [1, 2, 4], when: variant == vec}
  cache_hint: {values: [none, streaming], when: variant == vec}
  min_blocks_per_sm: [1, 2]
where:
  - "warps_per_row * warp_size <= block_size"
  - {expr: "row_stride % vector_width == 0", why: "a vector load needs an aligned row"}
default:
  - {variant: warp, block_size: 256}
  - {variant: naive, block_size: 64}
args:
  - {name: A, type: f16, size: M * row_stride, role: weight, align: "variant == vec ? vector_width * 2 : 2", fill: "uniform(-1, 1)"}
  - {name: x, type: f16, size: N * batch, role: activation, fill: "constant(0.5)"}
  - {name: y, type: y, size: M * batch, role: output}
  - {name: acc, type: f32, size: "variant == coalesced ? M * batch : 1", role: scratch}
  - {name: M, type: i32, value: M}
  - {name: N, type: i32, value: N}
  - {name: row_stride, type: i64, value: row_stride}
steps:
  - {memset: acc, value: 0, when: variant == coalesced}
  - {launch: gemv, grid: ["variant == coalesced ? ceil_div(N, block_size) : ceil_div(M, rows_per_block)"], block: [block_size], shared: 0}
  - {launch: store, grid: ["ceil_div(M * batch, block_size)"], block: [block_size], when: variant == coalesced}
let: {rows_per_block: "variant in (warp, vec) ? block_size // warp_size // warps_per_row * rows_per_warp : variant == naive ? block_size : 1"}
traffic: {read: 2 * M * N + 2 * N * batch, write: "(y == f32 ? 4 : 2) * M * batch"}
flops: 2 * M * N * batch
bound_by: memory
reference: gemv
chain: "variant in (naive, coalesced) ? N : ceil_div(N, warp_size) + log2(warp_size)"
deterministic: variant != coalesced
baselines: [cublas]
)yaml";
// clang-format on

// `text` with its first `from` replaced.
inline std::string edited(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const std::size_t at = result.find(from);
  return at == std::string::npos ? "no such text: " + std::string(from) : result.replace(at, from.size(), to);
}

}  // namespace tuner::spec
