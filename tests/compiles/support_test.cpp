// The worker's own kernels compile for every architecture. (The templates: scripts/check_compiles.sh.)
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "compile/compiler.h"
#include "core/hash.h"
#include "proc/program.h"

namespace tuner::compile {
namespace {

Source support_source() {
  std::ifstream file(TUNER_SOURCE_DIR "/kernel_templates/support/support.cu");
  std::stringstream text;
  text << file.rdbuf();
  Source source;
  source.name = "support.cu";
  source.text = text.str();
  source.entries = {"tuner_fill",  "tuner_checksum", "tuner_first_not", "tuner_compare",
                    "tuner_widen", "tuner_leave",    "tuner_feed"};
  source.hash = content_hash(source.text);
  return source;
}

class Support : public testing::TestWithParam<int> {};

TEST_P(Support, compiles) {
  proc::set_own_program(TUNER_PROGRAM);
  if (find_nvrtc().empty()) GTEST_SKIP() << "needs NVRTC";
  CompileOptions options;
  options.nvrtc = choose_nvrtc({}, GetParam(), 0);
  options.arch = arch_text(GetParam());
  int ended = 0;
  compile_all({support_source()}, options, [&](std::size_t, const Artifact& artifact) {
    ++ended;
    EXPECT_TRUE(artifact.ok()) << artifact.log;
    EXPECT_EQ(artifact.spill_bytes, 0);
    for (const std::string& entry : support_source().entries) EXPECT_NE(artifact.find(entry), nullptr) << entry;
  });
  EXPECT_EQ(ended, 1);
}

INSTANTIATE_TEST_SUITE_P(Architectures, Support, testing::Values(75, 80, 86, 89, 90, 100, 120),
                         [](const auto& arch) { return arch_text(arch.param); });

}  // namespace
}  // namespace tuner::compile
