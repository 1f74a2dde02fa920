// The reference kernels of the templates compile with NVRTC. On the host device another compiler builds them.
#include <gtest/gtest.h>

#include <filesystem>

#include "compile/compiler.h"
#include "compile/render.h"
#include "proc/program.h"

namespace tuner::compile {
namespace {

TEST(References, Compile) {
  proc::set_own_program(TUNER_PROGRAM);
  if (find_nvrtc().empty()) GTEST_SKIP() << "needs NVRTC";
  set_include_folders({TUNER_SOURCE_DIR "/kernel_templates/include"});
  std::vector<Source> sources;
  for (const char* folder : {"/kernel_templates", "/kernel_templates/probes"})
    for (const auto& file : std::filesystem::directory_iterator(TUNER_SOURCE_DIR + std::string(folder))) {
      if (file.path().extension() != ".yaml") continue;
      const auto kernel = spec::read_kernel(file.path().string());
      if (kernel.reference.kind == ReferencePlan::Kind::kernel && kernel.target.empty())
        sources.push_back(render_reference(kernel));
    }
  EXPECT_GT(sources.size(), 10u);
  CompileOptions options;
  options.nvrtc = choose_nvrtc({}, 75, 0);
  options.arch = arch_text(75);
  compile_all(sources, options, [&](std::size_t i, const Artifact& artifact) {
    EXPECT_TRUE(artifact.ok()) << sources[i].name << ": " << artifact.log;
  });
}

}  // namespace
}  // namespace tuner::compile
