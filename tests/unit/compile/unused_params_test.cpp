#include "compile/unused_params.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "spec/catalog.h"

namespace tuner::compile {
namespace {

TEST(UnusedParams, ShippedKernelsHaveNone) {
  const std::string folder = std::string(TUNER_SOURCE_DIR) + "/kernel_templates";
  const spec::Catalog catalog = spec::Catalog::load({folder, folder + "/probes"});
  EXPECT_GT(catalog.kernels().size(), 10u);
  for (const spec::KernelSpec& kernel : catalog.kernels())
    EXPECT_EQ(unused_params(kernel), std::vector<std::string>()) << kernel.name;
}

}  // namespace
}  // namespace tuner::compile
