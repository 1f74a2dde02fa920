// This test is its own compile child and NVRTC probe, as the program is.
#include <gtest/gtest.h>

#include <cstring>

#include "compile/compiler.h"
#include "compile/nvrtc.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "compile-child") == 0) return tuner::compile::compile_child_main();
  if (argc == 3 && std::strcmp(argv[1], "nvrtc-info") == 0) return tuner::compile::nvrtc_info_main(argv[2]);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
