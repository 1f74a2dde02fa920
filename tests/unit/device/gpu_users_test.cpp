#include "core/gpu_users.h"

#include "cuda_fixture.h"

namespace tuner::device {
namespace {

class GpuUsersTest : public CudaTest {};

constexpr unsigned long long gib = 1ull << 30;

TEST_F(GpuUsersTest, NobodyIsThere) {
  const GpuUsers users = gpu_users(0);
  EXPECT_TRUE(users.processes.empty());
  EXPECT_EQ(users.utilization_percent, 0);
  EXPECT_FALSE(users.mps);
}

TEST_F(GpuUsersTest, WhoComputesIsNamedAndADisplayServerIsNot) {
  fake().computes = {{4242, "python3", 12 * gib}, {77, "", ~0ull}};
  fake().draws = {{900, "Xorg", gib / 8}, {901, "blender", 3 * gib}, {4242, "python3", 12 * gib}, {902, "x", ~0ull}};
  fake().utilization = 87;
  const GpuUsers users = gpu_users(0);
  ASSERT_EQ(users.processes.size(), 3u);
  EXPECT_EQ(users.processes[0].pid, 4242);
  EXPECT_EQ(users.processes[0].name, "python3");
  EXPECT_EQ(users.processes[0].memory_bytes, std::int64_t{12} << 30);
  EXPECT_EQ(users.processes[1].pid, 77);
  EXPECT_EQ(users.processes[1].name, "");
  EXPECT_EQ(users.processes[1].memory_bytes, 0);
  EXPECT_EQ(users.processes[2].name, "blender");
  EXPECT_EQ(users.utilization_percent, 87);
}

TEST_F(GpuUsersTest, AServiceIsToldAndItsClientsStandForIt) {
  fake().attributes[133] = 1;
  fake().computes = {{50, "nvidia-cuda-mps-server", gib}};
  EXPECT_TRUE(gpu_users(0).mps);
  EXPECT_TRUE(gpu_users(0).processes.empty());
  fake().mps_clients = {{51, "solver\x1b[2J", gib}};
  ASSERT_EQ(gpu_users(0).processes.size(), 1u);
  EXPECT_EQ(gpu_users(0).processes[0].name, "solver?[2J");
}

TEST_F(GpuUsersTest, MoreThanFitAtFirst) {
  for (unsigned pid = 1; pid <= 40; ++pid) fake().computes.push_back({pid, "many", gib});
  EXPECT_EQ(gpu_users(0).processes.size(), 40u);
}

TEST(GpuUsersText, GoesThroughJson) {
  const GpuUsers users{{{1, "a", 5}, {2, "", 0}}, 12, true};
  const GpuUsers back = gpu_users_from_json(to_json(users));
  ASSERT_EQ(back.processes.size(), 2u);
  EXPECT_EQ(back.processes[0].name, "a");
  EXPECT_EQ(back.processes[0].memory_bytes, 5);
  EXPECT_EQ(back.utilization_percent, 12);
  EXPECT_TRUE(back.mps);
}

}  // namespace
}  // namespace tuner::device
