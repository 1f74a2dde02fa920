// What the built-in manifests do not have: three dimensions, a boolean, a parameter that is a C++ word, nested
// activity, `in` with numbers, a let that is a boolean, a constraint on an inactive parameter, three-dimensional grids.
#pragma once

namespace tuner::exporting::test {

inline constexpr const char* odd_manifest = R"yaml(tuner: 1
kernel: odd_3d
family: odd
dtype: f32
doc: only for looking up
source: odd.cu
entry: odd
requires: arch >= 80
dims: [P, Q, R]
facts: {mode: f32, depth: "P // 2 + 1", fast: true}
params:
  plan: [row, column, auto]
  split: {values: [1, 2, 4], when: plan != row}
  wide: {values: [true, false], when: plan != row && split > 1}
  threads: [32, 64, 128]
let:
  is_wide: "wide && split > 1"
  tiles: "ceil_div(P, threads) * (mode == f32 ? 1 : 2)"
where:
  - "!is_wide || Q % 2 == 0"
  - "plan != column || threads in (64, 128) || fast"
  - "min(P, Q, R) >= 1 && log2(max(P, Q)) < 40"
  - {expr: "split <= R", why: there are not so many}
  - "threads * 8 <= shared_max"
default: [{plan: column, wide: false}, {plan: row}]
args:
  - {name: in, type: f32, size: P * Q * R, role: weight}
  - {name: out, type: mode, size: P, role: output}
  - {name: sum, type: f32, size: P, role: accumulator, timed: true}
  - {name: turn, type: i32, value: turn}
steps:
  - {memset: out, value: 7, when: plan == auto}
  - {launch: odd, grid: [tiles, "Q > 4 ? ceil_div(Q, 4) : 1", "plan == row ? 1 : split"], block: [threads, 2], shared: "threads * 8", args: [in, out]}
  - {repeat: R % 3, index: turn, steps: [{launch: pass, grid: P, block: threads, template: [threads, mode, fast, "split > 1", P % 7], when: plan == column}, {memset: out, value: 1}]}
  - {launch: last, grid: "tiles * 4", block: 32, cluster: "plan == auto ? 1 : arch >= 90 ? 4 : 1", cooperative: plan == row, repeat: 2, args: [sum, out], when: plan != column}
traffic: {read: 4 * P * Q * R, write: 4 * P}
flops: P * Q * R
bound_by: memory
reference: none
)yaml";

}  // namespace tuner::exporting::test
