// Everything that is wrong with a manifest, told at once and without followers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "manifest_text.h"
#include "spec/kernel_spec.h"

namespace tuner::spec {
namespace {

class ManifestFaults : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("tuner_manifest_faults" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "gemv.cu") << "//\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // "LINE:COLUMN what" of each fault.
  std::vector<std::string> faults(const std::string& text) const {
    const std::string path = (folder_ / "k.yaml").string();
    std::ofstream(path) << text;
    std::vector<std::string> all;
    for (const UserError& fault : read_all_faults(path).faults)
      all.push_back(fault.where().substr(std::min(path.size() + 1, fault.where().size())) + " " + fault.what());
    return all;
  }
  using Texts = std::vector<std::string>;

  std::filesystem::path folder_;
};

TEST_F(ManifestFaults, NoneInARightOne) { EXPECT_EQ(faults(std::string(kGemv)), Texts{}); }

TEST_F(ManifestFaults, OneOfEverySectionInFileOrder) {
  std::string text(kGemv);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"dtype: f16", "dtype: f61"},
           {"source: gemv.cu", "source: gem.cu"},
           {"[64, 128, 256, 512]", "[64, 64, 256]"},
           {"  - \"warps_per_row * warp_size <= block_size\"", "  - \"warps_per_row * warp_size <= blok_size\""},
           {"{variant: naive,", "{variant: navie,"},
           {"type: y, size", "type: f8, size"},
           {"role: scratch", "rol: scratch"},
           {"value: 0, when", "value: 256, wehn"},
           {"shared: 0}", "shared: 1 +}"},
           {"flops: 2 *", "flops: 2 / "},
           {"bound_by: memory", "bound_by: memry"},
           {"chain: \"", "chain: \"x + "},
           {"baselines: [cublas]", "baselines: [cublass, cudnn]"}})
    text = edited(text, from, to);
  EXPECT_EQ(
      faults(text),
      (Texts{"4:8 unknown element type 'f61'", "6:9 the source '" + (folder_ / "gem.cu").string() + "' does not exist",
             "13:20 '64' stands twice among the values of 'block_size'",
             "21:35 unknown name 'blok_size' in 'warps_per_row * warp_size <= blok_size'",
             "25:15 'navie' is not a value of 'variant'",
             "29:21 'f8' is neither an element type nor a fact that holds one", "30:74 unknown key 'rol'",
             "35:26 'value' must be a byte, 0 to 255", "35:31 unknown key 'wehn'",
             "36:140 the expression ends too early, expected a value in '1 +'",
             "40:10 unexpected '/' in '2 /  M * N * batch'", "41:11 unknown bound 'memry'",
             "43:9 unknown name 'x' in 'x + variant in (naive, coalesced) ? N : ceil_div(N, warp_size) + "
             "log2(warp_size)'",
             "45:13 unknown baseline 'cublass'", "45:22 unknown baseline 'cudnn'"}));
}

TEST_F(ManifestFaults, WhatLeansOnAFaultIsNotAsked) {
  const auto one = [&](const char* from, const char* to, const char* fault) {
    EXPECT_EQ(faults(edited(kGemv, from, to)), Texts{fault}) << to;
  };
  one("dims: [M, N]\n", "", "1:1 the file has no 'dims'");
  one("dims:", "dmis:", "9:1 unknown key 'dmis'");
  one("params:", "parms:", "11:1 unknown key 'parms'");
  one("facts:", "fatcs:", "10:1 unknown key 'fatcs'");
  one("facts: {y: f16, batch: 1, row_stride: N}", "facts: 3", "10:8 'facts' must be a map, not '3'");
  one("let:", "lte:", "38:1 unknown key 'lte'");
  one("args:", "agrs:", "26:1 unknown key 'agrs'");
  one("steps:", "stpes:", "34:1 unknown key 'stpes'");
  one("name: acc", "nam: acc", "30:6 unknown key 'nam'");
  one("variant: [vec, warp,", "variant: [vec, vec, warp,", "12:18 'vec' stands twice among the values of 'variant'");
  one("unroll: {values:", "unroll: {value:", "17:12 unknown key 'value'");
  one("name: acc, type: f32, size: \"variant", "name: acc, type: f32, size: \"variat",
      "30:35 unknown name 'variat' in 'variat == coalesced ? M * batch : 1'");
  one("role: output", "role: outptu", "29:47 unknown role 'outptu'");
  one("rows_per_block: \"", "rows_per_block: \")",
      "38:24 unexpected ')', expected a value in ')variant in (warp, vec) ? block_size // warp_size // "
      "warps_per_row * rows_per...'");
}

TEST_F(ManifestFaults, CircularExpressionsAreOneFaultEach) {
  const std::string text =
      edited(kGemv, "let: {", "let: {a: \"b + 1\", b: \"c + 1\", c: \"a + 1\", d: \"a + d\", e: \"d\", ");
  EXPECT_EQ(faults(text), (Texts{"38:35 'a' uses itself in 'a + 1'", "38:51 'd' uses itself in 'a + d'"}));
}

TEST_F(ManifestFaults, AFileThatIsNoYamlHasOne) {
  EXPECT_EQ(faults("tuner: 1\nkernel: [\n").size(), 1U);
  EXPECT_EQ(faults("").size(), 1U);
}

}  // namespace
}  // namespace tuner::spec
