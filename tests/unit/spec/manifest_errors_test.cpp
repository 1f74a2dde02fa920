// What a person reads when a manifest is wrong: what, where and the hint.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ostream>

#include "expect_error.h"
#include "manifest_text.h"
#include "spec/kernel_spec.h"

namespace tuner::spec {
namespace {

struct Case {
  const char* from;
  const char* to;
  const char* what;
  const char* at;  // text of the edited manifest, '^' before the character where the fault lies; empty: the file
  const char* hint;
};

// Part of the test's name: letters and digits only.
void PrintTo(const Case& c, std::ostream* out) {
  for (const char* p = c.to; *p != '\0'; ++p)
    if (std::isalnum(static_cast<unsigned char>(*p)) != 0) *out << *p;
}

// "k.yaml:LINE:COLUMN" of what `at` marks.
std::string position(const std::string& text, const std::string& at) {
  if (at.empty()) return "k.yaml";
  const std::size_t mark = at.find('^');
  const std::size_t found = text.find(edited(at, "^", ""));
  if (mark == std::string::npos || found == std::string::npos) return "nowhere: " + at;
  const std::string before = text.substr(0, found + mark);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t column = before.size() - before.rfind('\n');  // on the first line npos wraps to size + 1
  return "k.yaml:" + std::to_string(line) + ":" + std::to_string(column);
}

class ManifestErrors : public testing::TestWithParam<Case> {};

TEST_P(ManifestErrors, Text) {
  const Case& c = GetParam();
  const std::string text = edited(kGemv, c.from, c.to);
  expect_error([&] { (void)parse_kernel(text, "k.yaml"); }, c.what, position(text, c.at), c.hint);
}

INSTANTIATE_TEST_SUITE_P(
    File, ManifestErrors,
    testing::Values(
        Case{"tuner: 1\n", "", "the file does not begin with 'tuner: 1'", "^kernel", "its first line is 'tuner: 1'"},
        Case{"tuner: 1", "tuner: 2", "version 2 of this file format is not known", "^2", "this tuner reads 'tuner: 1'"},
        Case{"doc: y = A x", "doc: [y", "not YAML: end of sequence flow not found", "^: gemv.cu",
             "quote texts that hold any of : # , [ ] { }"},
        Case{"doc: y = A x", "doc: &a y", "anchors are not allowed", "^&a y", "quote a text that begins with '&'"},
        Case{"doc: y = A x", "doc: *a", "aliases are not allowed", "^*a",
             "write the value out; quote a text that begins with '*'"},
        Case{"doc: y = A x", "doc: !!str y", "the tag 'tag:yaml.org,2002:str' is not allowed", "^!!str ",
             "quote a text that begins with '!'"},
        Case{"doc: y = A x", "family: again", "'family' stands twice", "^family: ag", "it is also at line 3; keep one"},
        Case{"{y: f16, batch: 1,", "{y: f16, y: f32,", "'y' stands twice", "^y: f32",
             "it is also at line 10; keep one"},
        Case{"bound_by: memory", "---", "the file holds more than one document", "", ""},
        Case{"doc: y = A x", "doc: \x01", "not a text file: it holds a control character", "^\x01", ""},
        Case{"doc: y = A x", "? [a, b]\n: c", "a key must be a single word", "^[a, b]", ""}));

INSTANTIATE_TEST_SUITE_P(
    Keys, ManifestErrors,
    testing::Values(
        Case{"where:", "were:", "unknown key 'were'", "^were:", "did you mean 'where'?"},
        Case{"source: gemv.cu\n", "", "the file has no 'source'", "^tuner:", ""},
        Case{"role: weight, align", "rol: weight, align", "unknown key 'rol'", "^rol: w", "did you mean 'role'?"},
        Case{"values: [1, 2, 4], when", "value: [1, 2, 4], when", "unknown key 'value'",
             "^value:", "did you mean 'values'?"},
        Case{"bound_by: memory", "dependent: {were: 1}", "unknown key 'were'", "^were: 1", "known: when, feeds"},
        Case{"bound_by: memory", "dependent: {when: varian == vec}", "unknown name 'varian' in 'varian == vec'",
             "^varian ==", "did you mean 'variant'?"},
        Case{"bound_by: memory", "dependent: {feeds: {A: y}}", "'A' is no activation", "^A: y", "did you mean 'x'?"},
        Case{"bound_by: memory", "dependent: {feeds: {x: acc}}", "'acc' is no result", "^acc}}", "known: y"},
        Case{"role: output}", "role: output, when: variant == vec}",
             "every configuration has 'y': 'when' is for scratch and zeroed", "output, when: ^variant == vec}", ""},
        Case{"role: scratch}", "role: scratch, when: variant == vec}",
             "'M' comes behind 'acc', which some configurations lack", "^{name: M,", "move what has 'when' to the end"},
        Case{"dims: [M, N]", "dims: M", "'dims' must be a list, not 'M'", "^M", ""},
        Case{"dims: [M, N]", "dims: [M, 2]", "an item of 'dims' must be a name (letters, digits and _), not '2'", "^2]",
             ""},
        Case{"dims: [M, N]", "dims: []", "'dims' is empty", "^[]", "e.g. dims: [M, N]"},
        Case{"dtype: f16", "dtype: f61", "unknown element type 'f61'", "^f61", "did you mean 'f64'?"},
        Case{"kernel: gemv_f16", "kernel: gemv f16", "'kernel' must be a name (letters, digits and _), not 'gemv f16'",
             "^gemv f", ""},
        Case{"facts: {", "target: sm90\nfacts: {", "'sm90' is not an architecture", "^sm90", "e.g. sm_90a"},
        Case{"params:", "params: 3\nparam:", "unknown key 'param'", "^param:", "did you mean 'params'?"},
        Case{"bound_by: memory", "bound_by: memry", "unknown bound 'memry'", "^memry", "did you mean 'memory'?"},
        Case{"bound_by: memory", "arithmetic: fma_f23", "unknown arithmetic 'fma_f23'", "^fma_f23",
             "did you mean 'fma_f32'?"},
        Case{"[cublas]", "[{kernel: gemv_f16}]", "a kernel is no baseline of itself", "kernel: ^gemv_f16}", ""},
        Case{"[cublas]", "[{kernel: a}, {kernel: a}]", "the baseline 'a' stands twice", "}, {kernel: ^a", ""},
        Case{"[cublas]", "[cublass]", "unknown baseline 'cublass'", "^cublas", "did you mean 'cublas'?"},
        Case{"reference: gemv", "reference: {kernel: f}", "'reference' has no 'source'", "^{kerne", ""},
        Case{"reference: gemv", "reference: softmax", "'reference' must be one of gemv, none", "^softma",
             "or {host: FUNCTION, source: FILE.cpp}, {kernel: ENTRY, source: FILE.cu, grid: ..., block: ...}, "
             "{data: {RESULT: FILE.npy}}"},
        Case{"role: output", "role: weight", "the reference gemv needs one buffer of role weight, not 2", "nce: ^gemv",
             ""}));

INSTANTIATE_TEST_SUITE_P(
    Params, ManifestErrors,
    testing::Values(Case{"[64, 128, 256, 512]", "[64, 12.5]",
                         "an item of 'block_size' must be an integer, true, false or a name, not '12.5'", "^12.5]", ""},
                    Case{"[64, 128, 256, 512]", "[64, 99999999999999999999]",
                         "the integer 99999999999999999999 does not fit 64 bits", "^999999", ""},
                    Case{"[64, 128, 256, 512]", "[64, 064]", "'64' stands twice among the values of 'block_size'",
                         "^064]", ""},
                    Case{"[64, 128, 256, 512]", "[64, large]", "the values of 'block_size' mix '64' and 'large'",
                         "^large]", "use integers only, booleans only or names only"},
                    Case{"[64, 128, 256, 512]", "[]", "'block_size' has no values", "^[]", ""},
                    Case{"[64, 128, 256, 512]", "64", "'block_size' must be a list, not '64'", "^64", ""},
                    Case{"{variant: warp, block_size: 256}", "{variant: warp, blok_size: 256}",
                         "'gemv_f16' has no parameter 'blok_size'", "^blok_s", "did you mean 'block_size'?"},
                    Case{"{variant: warp, block_size: 256}", "{variant: wrap, block_size: 256}",
                         "'wrap' is not a value of 'variant'", "^wrap, ", "did you mean 'warp'?"},
                    Case{"when: variant == vec}", "when: variant == vex}", "unknown name 'vex' in 'variant == vex'",
                         "^vex}", "did you mean 'vec'?"},
                    Case{"when: \"variant in (warp, vec)\"", "when: unroll == 1",
                         "'unroll' is a parameter declared later and cannot be used in the 'when' of 'rows_per_warp' "
                         "in 'unroll == 1'",
                         "^unroll", "move 'unroll' before it"}));

INSTANTIATE_TEST_SUITE_P(
    TwoMeanings, ManifestErrors,
    testing::Values(Case{"unroll:", "batch:", "'batch' has two meanings: a fact and a parameter", "^batch: {va",
                         "give one of them another name"},
                    Case{"unroll:", "vec:", "'vec' has two meanings: a value of a parameter and a parameter", "^vec: {",
                         "give one of them another name"},
                    Case{"[none, streaming]", "[none, warp_size]",
                         "'warp_size' has two meanings: a name of the GPU and a value of a parameter", "^warp_si",
                         "give one of them another name"},
                    Case{"dims: [M, N]", "dims: [M, arch]",
                         "'arch' has two meanings: a name of the GPU and a dimension", "^arch]",
                         "give one of them another name"},
                    Case{"let: {rows_per_block:", "let: {N:", "'N' has two meanings: a dimension and a 'let'",
                         "^N: \"va", "give one of them another name"},
                    Case{"{y: f16,", "{min: 1,", "'min' has two meanings: a word of the expression language and a fact",
                         "^min: 1", "give one of them another name"}));

INSTANTIATE_TEST_SUITE_P(
    Expressions, ManifestErrors,
    testing::Values(Case{"\"warps_per_row * warp_size <= block_size\"", "\"warps_per_row * warp_size <= blok_size\"",
                         "unknown name 'blok_size' in 'warps_per_row * warp_size <= blok_size'", "^blok_s",
                         "did you mean 'block_size'?"},
                    Case{"flops: 2 * M * N * batch", "flops: 2 * M / N", "unexpected '/' in '2 * M / N'", "^/ N",
                         "use '//' for integer division"},
                    Case{"flops: 2 * M * N * batch", "flops: 2 * block_size",
                         "'block_size' is a parameter and cannot be used in 'flops' in '2 * block_size'", "* ^block_",
                         ""},
                    Case{"flops: 2 * M * N * batch", "flops: 2 * rows_per_block",
                         "'block_size' (which 'rows_per_block' uses) is a parameter and cannot be used in 'flops' in "
                         "'2 * rows_per_block'",
                         "* ^rows_per_b", ""},
                    Case{"size: M * row_stride", "size: block_size * M",
                         "'block_size' is a parameter and cannot be used in the size of 'A' in 'block_size * M'",
                         "^block_size * M, ", ""},
                    Case{"row_stride: N}", "row_stride: batch}", "unknown name 'batch' in 'batch'", "^batch}",
                         "known: M, N, arch, bf16, bool, f16, f32, f64, f8_e4m3, f8_e5m2, i16, i32, ..."},
                    Case{"variant == naive ? block_size : 1\"", "rows_per_block\"",
                         "'rows_per_block' uses itself in 'variant in (warp, vec) ? block_size // warp_size // "
                         "warps_per_row * rows_per_...'",
                         "^rows_per_block\"}", ""},
                    Case{"requires: arch >= 75", "requires: arch >= block_size",
                         "'block_size' is a parameter and cannot be used in 'requires' in 'arch >= block_size'",
                         "^block_", ""}));

INSTANTIATE_TEST_SUITE_P(
    Execution, ManifestErrors,
    testing::Values(
        Case{"type: f16, size: M", "type: f8, size: M", "'f8' is neither an element type nor a fact that holds one",
             "^f8, si", "did you mean 'i8'?"},
        Case{"type: y, size", "type: batch, size", "'batch' is neither an element type nor a fact that holds one",
             "^batch, siz", "known: f64, f32, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64, ..."},
        Case{"value: M}", "size: M, value: M}",
             "the argument 'M' needs one of 'size' (a buffer), 'value' (a scalar) and 'fields' (a struct by value)",
             "^{name: M, ", ""},
        Case{"value: M}", "value: M, role: weight}", "'role' is for buffers only", "^weight}", ""},
        Case{"role: activation", "role: activations", "unknown role 'activations'", "^activa",
             "did you mean 'activation'?"},
        Case{"uniform(-1, 1)", "uniform(1, -1)", "the low end of 'uniform(1, -1)' is not below its high end", "^unifor",
             ""},
        Case{"uniform(-1, 1)", "gauss(0, 1)", "'gauss(0, 1)' is not a fill", "^gauss(",
             "write uniform(low, high), normal(mean, deviation), constant(value), iota(first, step) or file(PATH)"},
        Case{"uniform(-1, 1)", "normal(0, 0)", "the deviation of 'normal(0, 0)' is not above 0", "^normal", ""},
        Case{"name: N,", "name: M,", "the argument 'M' stands twice", "^M, type: i32, value: N}", ""},
        Case{"memset: acc", "memset: ac", "'ac' is no buffer among 'args'", "^ac, va", "did you mean 'acc'?"},
        Case{"memset: acc, value: 0", "memset: acc, value: 256", "'value' must be a byte, 0 to 255", "^256, w", ""},
        Case{"{launch: store, ", "{", "a step needs either 'launch' or 'memset'", "^{grid:", ""},
        Case{"block: [block_size], shared", "block: [1, 1, 1, 1], shared", "'block' must hold 1 to 3 extents",
             "^[1, 1,", ""},
        Case{"name: A,", "name: unroll,",
             "the macro 'unroll' of the parameter 'unroll' would hide the argument 'unroll'", "^unroll",
             "rename one of them"},
        Case{"name: A,", "name: variant_vec,",
             "the macro 'variant_vec' of the value 'vec' of 'variant' would hide the argument 'variant_vec'", "^varian",
             "rename one of them"},
        Case{"name: A,", "name: FACT_y,", "the macro 'FACT_y' of the fact 'y' would hide the argument 'FACT_y'",
             "^y: f16", "rename one of them"},
        Case{"launch: store", "launch: unroll",
             "the macro 'unroll' of the parameter 'unroll' would hide the entry 'unroll'", "^unroll",
             "rename one of them"},
        Case{"min_blocks_per_sm: [1", "float: [1",
             "the macro 'float' of the parameter 'float' would hide a word of C++", "^float:", "rename it"},
        Case{"min_blocks_per_sm: [1, 2]", "cache: [hint_none, x]\n  cache_hint_none: [1]",
             "the value 'hint_none' of 'cache' and the value 'none' of 'cache_hint' give one macro: cache_hint_none",
             "^cache:", "rename one of them"}));

// clang-format off
INSTANTIATE_TEST_SUITE_P(
    Arguments, ManifestErrors,
    testing::Values(
        Case{"type: y, size: M * batch, role: output}", "type: y, size: M * batch, role: output, fill: iota}",
             "'fill' is for buffers that are read: weight, activation, in_place", "^iota}", ""},
        Case{"role: output}", "role: output, edges: 9}", "'edges' is for buffers that are read", "edges: ^9}", ""},
        Case{"constant(0.5)\"}", "constant(0.5)\", edges: 0}", "what stands at the edges of rows must show: 0 does not",
             "edges: ^0}", ""},
        Case{"constant(0.5)\"}", "constant(0.5)\", edges: 9}", "'edges' needs a reference that reads the inputs",
             "reference: ^gemv", "{kernel: ...} or {host: ...}"},
        Case{"role: output}", "role: output, set: 1}", "'set' is for accumulators only", "set: ^1}", ""},
        Case{"role: output}", "role: output, timed: true}", "'timed' is for accumulators only", "timed: ^true}", ""},
        Case{"role: output}", "role: accumulator, set: 1, timed: true}",
             "only an accumulator that is set to 0 can be set inside the timed part", "timed: ^true}",
             "leave 'timed' out, or set it in a launch of your own"},
        Case{"role: output}", "role: output, hot: true}", "'hot' is for weights only", "hot: ^true}",
             "an activation is hot, and what is written is cold"},
        Case{"role: output}", "role: output, symbol: c}", "a __constant__ symbol is read: its role is weight or activation",
             "symbol: ^c}", ""},
        Case{"{name: M, type: i32", "{name: M, type: u4", "a scalar cannot be packed: i4 and u4 are for buffers", "type: ^u4", ""},
        Case{"value: M}", "value: M, fill: iota}", "'fill' is for buffers only", "fill: ^iota}", ""},
        Case{"value: M}", "value: M, symbol: c}", "'symbol' is for buffers only", "symbol: ^c}", ""},
        Case{"type: i32, value: M}", "fields: []}", "a struct without fields", "^[]}", ""},
        Case{"type: i32, value: M}", "fields: [{type: i8, vale: 1}]}", "unknown key 'vale'", "^vale", "did you mean 'value'?"},
        Case{"type: i32, value: M}", "fields: [{type: i8}]}", "an item of 'fields' has no 'value'", "^{type: i8}", ""},
        Case{"type: f16, size: M", "type: half3, size: M", "'half3' is neither an element type nor a fact that holds one", "^half3", "known: f64, f32, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64, ..."},
        Case{"uniform(-1, 1)", "file()", "'file()' is not a fill", "^file(", "write uniform(low, high), normal(mean, deviation), constant(value), iota(first, step) or file(PATH)"},
        Case{"uniform(-1, 1)", "uniform(0, 1e39)", "'uniform(0, 1e39)' is not a fill", "^uniform(0", "write uniform(low, high), normal(mean, deviation), constant(value), iota(first, step) or file(PATH)"}));

INSTANTIATE_TEST_SUITE_P(
    Steps, ManifestErrors,
    testing::Values(
        Case{"block: [block_size], shared: 0}", "block: [block_size], index: i}", "'index' needs 'repeat', how often", "index: ^i}", ""},
        Case{"{launch: store, grid: [\"ceil_div(M * batch, block_size)\"], block: [block_size], when: variant == coalesced}", "{repeat: 2, steps: [{launch: store, grid: 1, block: 1, repeat: 3}]}",
             "a 'repeat' within a 'repeat'", "repeat: ^3", "write the inner steps out"},
        Case{"{launch: store, grid: [\"ceil_div(M * batch, block_size)\"], block: [block_size], when: variant == coalesced}", "{repeat: 2, steps: [{launch: store, grid: 1, block: 1, index: j}]}",
             "'index' belongs beside the 'repeat' around these steps", "index: ^j", ""},
        Case{"{launch: store, grid: [\"ceil_div(M * batch, block_size)\"], block: [block_size], when: variant == coalesced}", "{repeat: 2, steps: []}",
             "'repeat' repeats nothing", "steps: ^[]", ""},
        Case{"{launch: store, grid: [\"ceil_div(M * batch, block_size)\"], block: [block_size], when: variant == coalesced}", "{repeat: block_size, index: i, steps: [{launch: store, grid: \"i + j\", block: 1}]}",
             "unknown name 'j' in 'i + j'", "i + ^j", "did you mean 'M'?"},
        Case{"block: [block_size], shared: 0}", "block: [block_size], args: [A, z]}", "'z' is not among 'args'", "^z]}", "did you mean 'A'?"},
        Case{"block: [block_size], shared: 0}", "block: [block_size], args: []}", "a launch without arguments does nothing", "args: ^[]}", ""},
        Case{"block: [block_size], shared: 0}", "block: [block_size], cluster: [1, 2, 3, 4]}", "'cluster' must hold 1 to 3 extents", "cluster: ^[1", ""},
        Case{"block: [block_size], shared: 0}", "block: [block_size], template: [blok]}", "unknown name 'blok' in 'blok'", "template: [^blok", "known: M, N, arch, batch, bf16, block_size, bool, cache_hint, coalesced, f16, f32, f64, ..."}));

INSTANTIATE_TEST_SUITE_P(
    References, ManifestErrors,
    testing::Values(
        Case{"reference: gemv", "reference: {source: a.cpp}", "'reference' needs one of 'host', 'kernel' and 'data'", "nce: ^{source", ""},
        Case{"reference: gemv", "reference: {host: f, kernel: g, source: a.cpp}", "'reference' needs one of 'host', 'kernel' and 'data'", "nce: ^{host", ""},
        Case{"reference: gemv", "reference: {host: f, source: /nowhere/a.cpp}", "the file '/nowhere/a.cpp' does not exist", "^/nowhere", "its path is relative to the manifest's folder"},
        Case{"reference: gemv", "reference: {host: f, source: ''}", "names no file", "source: '^'", ""},
        Case{"reference: gemv", "reference: {data: {x: /nowhere/x.npy}}", "'x' is no result (output, in_place, accumulator) among 'args'", "data: {^x:", "did you mean 'y'?"},
        Case{"reference: gemv", "reference: {data: {y: /nowhere/y.npy}}", "the file '/nowhere/y.npy' does not exist", "^/nowhere/y", "its path is relative to the manifest's folder"},
        Case{"reference: gemv", "reference: {data: {}}", "'data' has no file for the result 'y'", "data: ^{}", ""},
        Case{"reference: gemv", "reference: gemv\nbound: loose", "unknown bound 'loose'", "bound: ^loose", "known: terms, exact; or {relative: 1e-5, absolute: 1e-6, why: TEXT}"},
        Case{"reference: gemv", "reference: gemv\nbound: {relative: -1, why: a}", "a bound cannot be negative", "bound: ^{rel", ""},
        Case{"reference: gemv", "reference: gemv\nbound: {why: a}", "'bound' states nothing", "bound: ^{why", "give 'relative' or 'absolute', or write 'bound: exact'"},
        Case{"reference: gemv", "reference: gemv\nbound: {relative: 0.1}", "'bound' has no 'why'", "bound: ^{rel", ""},
        Case{"reference: gemv", "reference: gemv\nbound: {relative: 0.1, why: ''}", "a bound that is not derived needs its reason", "why: '^'", ""},
        Case{"reference: gemv", "reference: gemv\nterms: block_size", "'block_size' is a parameter and cannot be used in 'terms' in 'block_size'", "terms: ^block", ""},
        Case{"reference: gemv", "reference: gemv\nawkward: [37]", "this shape needs 2 dimensions", "awkward: [^37", "e.g. 37x131"}));

INSTANTIATE_TEST_SUITE_P(
    Build, ManifestErrors,
    testing::Values(
        Case{"dims: [M, N]", "dims: [M, N]\ncompiler: gcc", "unknown compiler 'gcc'", "compiler: ^gcc", "known: nvrtc, nvcc"},
        Case{"dims: [M, N]", "dims: [M, N]\noptions: [O3]", "'O3' is no compiler option", "options: [^O3", ""},
        Case{"dims: [M, N]", "dims: [M, N]\noptions: [-arch=sm_90]", "the option '-arch=sm_90' is the tuner's own", "options: [^-arch", "'target' names an architecture; the rest follows from the run"},
        Case{"dims: [M, N]", "dims: [M, N]\noptions: [{option: -a, valu: 1}]", "unknown key 'valu'", "^valu", "did you mean 'value'?"},
        Case{"dims: [M, N]", "dims: [M, N]\ninclude_dirs: /nowhere/include", "the folder '/nowhere/include' does not exist", "dirs: ^/nowhere", "its path is relative to the manifest's folder"}));

INSTANTIATE_TEST_SUITE_P(
    Indices, ManifestErrors,
    testing::Values(
        Case{"{launch: store, grid: [\"ceil_div(M * batch, block_size)\"], block: [block_size], when: variant == coalesced}\n", "{launch: store, grid: 1, block: 1, repeat: 2, index: turn}\n  - {launch: last, grid: turn, block: 1}\n",
             "'turn' is the index of a 'repeat' and cannot be used in 'grid' in 'turn'", "grid: ^turn", ""},
        Case{"{launch: store, grid: [\"ceil_div(M * batch, block_size)\"], block: [block_size], when: variant == coalesced}\n", "{launch: store, grid: 1, block: 1, repeat: 2, index: turn}\n  - {launch: last, grid: turn, block: 1, repeat: 2, index: other}\n",
             "'turn' is the index of a 'repeat' and cannot be used in 'grid' in 'turn'", "grid: ^turn", ""}));
// clang-format on

// A scalar made of an index in a launch outside of that `repeat`, and within another one.
TEST(ManifestErrorsOf, AScalarOutsideOfItsRepeat) {
  const std::string with =
      edited(kGemv, "value: row_stride}", "value: row_stride}\n  - {name: turn, type: i32, value: turn + 1}");
  const std::string last =
      "{launch: store, grid: [\"ceil_div(M * batch, block_size)\"], block: [block_size], when: variant == coalesced}";
  const auto error = [&](const std::string& steps) {
    const std::string text = edited(with, last, steps);
    expect_error([&] { (void)parse_kernel(text, "k.yaml"); },
                 "'turn' is the index of a 'repeat' and cannot be used in the scalar 'turn' of the launch of 'gemv', "
                 "outside of that 'repeat' in 'turn + 1'",
                 position(text, "value: ^turn + 1"), "");
  };
  error("{launch: store, grid: 1, block: 1, repeat: 2, index: turn}");
  const std::string other = edited(with, "shared: 0}", "repeat: 3, index: other}");
  const std::string text = edited(other, last, "{launch: store, grid: 1, block: 1, repeat: 2, index: turn}");
  expect_error([&] { (void)parse_kernel(text, "k.yaml"); },
               "'turn' is the index of a 'repeat' and cannot be used in the scalar 'turn' of the launch of 'gemv', "
               "outside of that 'repeat' in 'turn + 1'",
               position(text, "value: ^turn + 1"), "");
}

TEST(ManifestErrorsOf, AStructsFieldThatIsAnIndex) {
  const std::string text = edited(edited(kGemv, "type: i32, value: M}", "fields: [{type: i32, value: turn}]}"),
                                  "shared: 0}", "repeat: 3, index: turn}");
  expect_error([&] { (void)parse_kernel(text, "k.yaml"); },
               "'turn' is the index of a 'repeat' and cannot be used in a field of a struct in 'turn'",
               position(text, "value: ^turn}"), "");
}

TEST(ManifestErrorsOf, AResultThatNoLaunchTakes) {
  const std::string text = edited(edited(kGemv, "shared: 0}", "args: [A, x, acc]}"), "when: variant == coalesced}\nlet",
                                  "args: [acc, M]}\nlet");
  expect_error([&] { (void)parse_kernel(text, "k.yaml"); }, "no launch takes the output 'y'",
               position(text, "steps:\n  ^- {memset"), "name it in the 'args' of the launch that writes it");
}

TEST(ManifestErrorsOf, TooMany) {
  std::string args, steps, fields;
  for (int i = 0; i < 65; ++i) {
    args += "  - {name: a" + std::to_string(i) + ", type: i32, value: 1}\n";
    steps += "  - {launch: k" + std::to_string(i) + ", grid: 1, block: 1}\n";
  }
  for (int i = 0; i < 257; ++i) fields += std::string(i > 0 ? ", " : "") + "{type: i8, value: 1}";
  const auto error = [](const std::string& text, const std::string& what, const std::string& at) {
    expect_error([&] { (void)parse_kernel(text, "k.yaml"); }, what, position(text, at), "");
  };
  error(edited(kGemv, "args:\n", "args:\n" + args), "there are more than 64 arguments", "args:\n  ^- {name: a0");
  error(edited(kGemv, "steps:\n", "steps:\n" + steps), "there are more than 64 steps", "steps:\n  ^- {launch: k0");
  error(edited(kGemv, "type: i32, value: M}", "fields: [" + fields + "]}"), "a struct of more than 256 fields",
        "fields: ^[{");
}

TEST(ManifestErrorsOf, AliasBombIsRefusedAtItsFirstAnchor) {
  std::string bomb = "tuner: 1\na0: &a0 [x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before + "]\n";
  }
  expect_error([&] { (void)parse_kernel(bomb, "k.yaml"); }, "anchors are not allowed", "k.yaml:2:5",
               "quote a text that begins with '&'");
}

TEST(ManifestErrorsOf, DeepNesting) {
  const std::string deep = "tuner: " + std::string(100, '[') + std::string(100, ']');
  expect_error([&] { (void)parse_kernel(deep, "k.yaml"); }, "the file is nested more than 64 deep", "k.yaml:1:71", "");
}

// Every way to nest: the parser must stop before it, or this program, runs out of stack.
TEST(ManifestErrorsOf, TenThousandDeep) {
  const auto repeated = [](const std::string& text) {
    std::string all = "tuner:\n";
    for (int i = 0; i < 10000; ++i) all += text;
    return all + "x\n";
  };
  std::string steps = "tuner:\n";
  for (int i = 1; i < 1000; ++i) steps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  for (const std::string& text : {repeated("["), repeated("{a: "), repeated("- "), repeated("? "), steps}) {
    const auto began = std::chrono::steady_clock::now();
    try {
      (void)parse_kernel(text, "k.yaml");
      ADD_FAILURE() << text.substr(0, 30);
    } catch (const UserError& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what == "the file is nested more than 64 deep" || what == "a key must be a single word") << what;
      EXPECT_NE(error.where(), "");
    }
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{2}) << text.substr(0, 30);
  }
}

TEST(ManifestErrorsOf, Empty) {
  expect_error([] { (void)parse_kernel("", "k.yaml"); }, "the file is empty", "k.yaml", "its first line is 'tuner: 1'");
  expect_error([] { (void)parse_kernel("hello", "k.yaml"); }, "the file must be a map of keys", "k.yaml:1:1",
               "its first line is 'tuner: 1'");
}

}  // namespace
}  // namespace tuner::spec
