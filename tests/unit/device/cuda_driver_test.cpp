#include <stdexcept>

#include "core/error.h"
#include "cuda_fixture.h"
#include "device/driver.h"

namespace tuner::device {
namespace {

TEST(CudaDriver, MissingLibraryIsNamedWithAHint) {
  try {
    open_driver({"/nonexistent/libcuda.so.1", "/elsewhere/libcuda.so.1"});
    FAIL() << "it opened a driver that is not there";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "no NVIDIA driver: libcuda.so.1 not found");
    EXPECT_EQ(error.hint(), "install the NVIDIA driver, or use --device host, which needs no GPU");
  }
}

TEST(CudaDriver, LibraryTheLoaderRefusesSaysWhy) {
  try {
    open_driver({"/etc/passwd"});
    FAIL() << "it opened a text file";
  } catch (const MachineError& error) {
    EXPECT_NE(std::string(error.what()).find("no NVIDIA driver: /etc/passwd: "), std::string::npos) << error.what();
  }
}

TEST(CudaDriver, LibraryWithoutAnEntryIsTooOld) {
  try {
    open_driver({"libm.so.6"});
    FAIL() << "it took libm for a driver";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "the NVIDIA driver is too old: it has no cuInit");
  }
}

class CudaDriverTest : public CudaTest {};

TEST_F(CudaDriverTest, NoGpuIsSaid) {
  fake().results["cuInit"] = cu::kNoDevice;
  try {
    open_driver(driver_paths());
    FAIL() << "it found a GPU";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "the NVIDIA driver sees no GPU");
    EXPECT_NE(error.hint().find("--device host"), std::string::npos);
  }
}

TEST_F(CudaDriverTest, CheckNamesTheErrorAndWhatFailed) {
  const Driver opened = open_driver(driver_paths());
  EXPECT_NO_THROW(check(opened, cu::kSuccess, "load the module"));
  try {
    check(opened, 200, "load the module");
    FAIL() << "an error passed";
  } catch (const MachineError& error) {
    EXPECT_STREQ(error.what(), "cannot load the module: CUDA_ERROR_INVALID_IMAGE (a fake error)");
  }
  EXPECT_EQ(error_text(opened, 12345), "CUDA error 12345 (a fake error)");
}

TEST(CudaDriver, ErrorsThatEndTheContextAreTold) {
  for (int sticky : {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721})
    EXPECT_TRUE(is_sticky(sticky)) << sticky;
  for (int harmless : {0, 1, 2, 100, 200, 209, 500, 600, 701, 703, 708, 711, 713, 720, 801, 900})
    EXPECT_FALSE(is_sticky(harmless)) << harmless;
  EXPECT_EQ(reason_of(700), Reason::fault);
  EXPECT_EQ(reason_of(719), Reason::fault);
  EXPECT_EQ(reason_of(702), Reason::timeout);
  EXPECT_EQ(reason_of(701), Reason::launch_error);
  EXPECT_EQ(reason_of(1), Reason::launch_error);
}

TEST_F(CudaDriverTest, FactsComeFromTheDriverAndNvml) {
  fake().gpu_name = "NVIDIA A100-SXM4-40GB MIG 1g.5gb";
  fake().attributes = {{75, 9}, {76, 0}, {16, 132}, {10, 32}, {8, 49152}, {97, 232448}, {111, 1024}, {32, 1}, {17, 0}};
  const auto gpus = list_gpus();
  ASSERT_EQ(gpus.size(), 1u);
  const GpuFacts& gpu = gpus.front();
  EXPECT_EQ(gpu.name, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(gpu.mig_profile, "1g.5gb");
  EXPECT_EQ(gpu.arch, 90);
  EXPECT_EQ(gpu.sm_count, 132);
  EXPECT_EQ(gpu.shared_per_block, 49152);
  EXPECT_EQ(gpu.shared_max, 232448);
  EXPECT_EQ(gpu.reserved_shared_per_block, 1024);
  EXPECT_TRUE(gpu.ecc);
  EXPECT_FALSE(gpu.display);
  EXPECT_EQ(gpu.uuid, "MIG-01112131-4151-6171-8191-a1b1c1d1e1f1");
  EXPECT_EQ(gpu.driver, "580.1.2");
  EXPECT_EQ(gpu.cuda_driver, 13000);
  EXPECT_EQ(gpu.power_limit_w, 0);  // NVML does not know this UUID

  fake().gpu_name = "NVIDIA H200";
  const GpuFacts whole = list_gpus().front();
  EXPECT_EQ(whole.uuid, "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1");
  EXPECT_EQ(whole.mig_profile, "");
  EXPECT_EQ(whole.power_limit_w, 700);
}

}  // namespace
}  // namespace tuner::device
