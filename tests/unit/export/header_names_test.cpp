// Kernels, parameters, facts and words that are called as the header's own things are.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "export/cpp_names.h"
#include "export/header.h"
#include "spec/resolve.h"
#include "unit/store/fixtures.h"

namespace tuner::exporting {
namespace {

const char* const names[] = {"find",
                             "model",
                             "detail",
                             "Gpu",
                             "Match",
                             "Choice",
                             "Param",
                             "Step",
                             "Dim3",
                             "Fact",
                             "lower",
                             "known_gpu",
                             "same_text",
                             "layer_name",
                             "gpu_distance",
                             "max_dims",
                             "max_params",
                             "max_steps",
                             "tuner_expr",
                             "tuner_export",
                             "linux",
                             "unix",
                             "name",
                             "word",
                             "get",
                             "dim",
                             "fact",
                             "steps",
                             "passes",
                             "Problem",
                             "Params",
                             "K",
                             "G",
                             "q",
                             "p",
                             "g",
                             "i",
                             "value",
                             "inactive",
                             "read_",
                             "active_",
                             "gpu",
                             "problem",
                             "regime",
                             "rows",
                             "tables",
                             "kernel",

                             "int_",

                             "TUNER_EXPORT_HD",
                             "word_a",
                             "let_b",
                             "count",
                             "key",
                             "Key",
                             "Row",
                             "usable",
                             "near",
                             "errno"};

// Named so itself, and its parameter and a word, or its fact and a `let`.
std::string manifest(const std::string& kernel, const std::string& name, bool is_fact) {
  const std::string param = is_fact ? "zz" : name;
  return fmt::format(
      "tuner: 1\nkernel: {}\nfamily: odd\ndtype: f32\ndoc: \"first\\nsecond \\\\\"\nsource: odd.cu\nentry: odd\n"
      "dims: [D1]\n{}params:\n  {}: [1, 2]\n  kind: [a, word_b, {}]\nlet:\n  b: \"{} + 1\"\n"
      "where:\n  - \"b < 9 && {} < 9 && kind != word_b\"\n"
      "default: [{{{}: 1}}]\nargs:\n  - {{name: in_, type: f32, size: D1, role: weight}}\n"
      "  - {{name: out_, type: f32, size: D1, role: output}}\n"
      "steps:\n  - {{launch: odd, grid: [D1], block: [32]}}\n"
      "traffic: {{read: 4 * D1, write: 4}}\nflops: D1\nbound_by: memory\nreference: none\n",
      kernel, is_fact ? "facts: {" + name + ": 2}\n" : "", param, is_fact ? "c" : "int_word", param, param, param);
}

TEST(HeaderNames, NoTwoBecomeTheSame) {
  std::set<std::string> fields;
  std::set<std::string> structs;
  for (const char* name : names) {
    EXPECT_TRUE(fields.insert(field_name(name)).second) << name;
    EXPECT_TRUE(structs.insert(struct_name(name)).second) << name;
  }
  EXPECT_EQ(struct_name("gemv_f16"), "gemv_f16");
  EXPECT_EQ(field_name("block_size"), "block_size");
}

// Whether a kernel of this name is pinned, and gives way to its default for another fact.
std::string question(const std::string& name) {
  return fmt::format(
      "  if (find(gpu, \"{0}\", shape).get(\"{0}\") != 2 || find(gpu, \"x_{0}\", shape).get(\"zz\") != 2) "
      "return std::puts(\"{0}\");\n"
      "  {{\n    const tuner_export::Fact other[] = {{{{\"{0}\", 3}}}};\n"
      "    if (find(gpu, \"x_{0}\", shape, other).get(\"zz\") != 1) return std::puts(\"the fact {0}\");\n  }}\n",
      name);
}

TEST(HeaderNames, WhatIsCalledAsTheHeadersOwnThingsCompilesAndAnswers) {
  const store::test::ScratchFolder folder;
  const std::string base = folder.file("");
  store::test::write_file(base + "odd.cu", "extern \"C\" __global__ void odd() {}\n");
  std::string asked;
  for (const std::string name : names) {
    store::test::write_file(base + name + ".yaml", manifest(name, name, false));
    store::test::write_file(base + name + "_fact.yaml", manifest("x_" + name, name, true));
    asked += question(name);
  }
  const spec::Catalog catalog = spec::Catalog::load({base});
  std::vector<store::Pin> pins;
  for (const spec::KernelSpec& kernel : catalog.kernels()) {
    store::Pin& pin = pins.emplace_back();
    pin.problem = spec::make_problem(kernel, {64}, {}, "test");
    pin.config.params = {{kernel.space.params[0].name, std::int64_t{2}}, {"kind", Name{"a"}}};
    pin.layer = "user";
  }
  store::test::write_file(base + "best.h", header({}, pins, {}, catalog));
  store::test::write_file(base + "use.cpp",
                          "#include <cerrno>\n#include <cstdio>\n#include \"best.h\"\nint main() {\n"
                          "  tuner_export::Gpu gpu;\n  gpu.name = \"x\";\n  gpu.arch = 90;\n"
                          "  const long long shape[] = {64};\n" +
                              asked + "  return 0;\n}\n");
  // Of GNU's C++, where `linux` and `unix` are macros.
  const std::string build = "g++ -std=gnu++17 -O0 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I'" + base +
                            "' '" + base + "use.cpp' -o '" + base + "use' >'" + base + "log' 2>&1";
  EXPECT_EQ(std::system(build.c_str()), 0) << store::test::read_file(base + "log").substr(0, 3000);
  EXPECT_EQ(std::system(("'" + base + "use'").c_str()), 0);
}

}  // namespace
}  // namespace tuner::exporting
