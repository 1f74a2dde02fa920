// Counters belong to a configuration on a GPU model.
#include <gtest/gtest.h>

#include "core/error.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "unit/store/fixtures.h"

namespace tuner::store::test {
namespace {

Counters counted(double dram) {
  LaunchCounters gemv;
  gemv.entry = "gemv";
  gemv.values = {{"dram__throughput", dram}, {"stalled_barrier", 1.5}};
  gemv.absent = {{"l1tex__conflicts", "not on this GPU"}};
  LaunchCounters store;
  store.entry = "store<float>";
  return {"ncu 2025.3.1.0", "580.159.04", "0123456789abcdef0123456789abcdef", "2026-11-30T20:00:00Z", {gemv, store}};
}

TEST(StoredCounters, ComeBackAsTheyWere) {
  const ScratchFolder folder;
  Store store = Store::open(folder.file("a.db"), Store::Mode::read_write);
  const GpuFacts gpu = gpu_named("NVIDIA H200");
  const Problem problem = gemv(4096, 14336);
  EXPECT_FALSE(store.counters(gpu, problem, config_of("vec", 256)));
  store.keep_counters(gpu, problem, config_of("vec", 256), counted(12.5));
  EXPECT_EQ(store.counters(gpu, problem, config_of("vec", 256)), counted(12.5));
  // Newer ones replace them; those of others stay.
  store.keep_counters(gpu, problem, config_of("vec", 128), counted(1));
  store.keep_counters(gpu, problem, config_of("vec", 256), counted(93.8));
  EXPECT_EQ(store.counters(gpu, problem, config_of("vec", 256)), counted(93.8));
  EXPECT_EQ(store.counters(gpu, problem, config_of("vec", 128)), counted(1));
  EXPECT_FALSE(store.counters(gpu, gemv(14336, 4096), config_of("vec", 256)));
  EXPECT_FALSE(store.counters(gpu_named("Tesla T4", 75, 40), problem, config_of("vec", 256)));
}

TEST(StoredCounters, OfAProblemComeTogether) {
  const ScratchFolder folder;
  Store store = Store::open(folder.file("a.db"), Store::Mode::read_write);
  const Problem problem = gemv(4096, 14336);
  store.keep_counters(gpu_named("Tesla T4", 75, 40), problem, config_of("vec", 64), counted(1));
  store.keep_counters(gpu_named("NVIDIA H200"), problem, config_of("warp", 64), counted(2));
  store.keep_counters(gpu_named("NVIDIA H200"), problem, config_of("vec", 64), counted(3));
  store.keep_counters(gpu_named("NVIDIA H200"), gemv(8, 8), config_of("vec", 64), counted(4));
  const std::vector<KeptCounters> all = store.counters(problem);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].gpu, "NVIDIA H200");
  EXPECT_EQ(all[0].config, config_of("warp", 64));
  EXPECT_EQ(all[1].counters, counted(3));
  EXPECT_EQ(all[2].gpu, "Tesla T4");
}

TEST(StoredCounters, SayWhenTheyAreFrom) {
  const ScratchFolder folder;
  Store store = Store::open(folder.file("a.db"), Store::Mode::read_write);
  Counters undated = counted(1);
  undated.counted_at.clear();
  store.keep_counters(gpu_named("NVIDIA H200"), gemv(8, 8), config_of("vec", 64), undated);
  EXPECT_EQ(store.counters(gpu_named("NVIDIA H200"), gemv(8, 8), config_of("vec", 64))->counted_at.size(), 20U);
}

TEST(StoredCounters, DamageIsNamed) {
  const ScratchFolder folder;
  Store store = Store::open(folder.file("a.db"), Store::Mode::read_write);
  store.keep_counters(gpu_named("NVIDIA H200"), gemv(8, 8), config_of("vec", 64), counted(1));
  for (const char* text : {"{}", "[1]", R"([{"entry":"k","values":[],"absent":{}}])"}) {
    {
      Connection db(folder.file("a.db"), Connection::Access::write);
      auto change = db.prepare("UPDATE counters SET launches = ?");
      change.bind(1, std::string_view(text)).run();
    }
    try {
      store.counters(gpu_named("NVIDIA H200"), gemv(8, 8), config_of("vec", 64));
      ADD_FAILURE() << text;
    } catch (const UserError& damage) {
      EXPECT_NE(damage.where().find("a.db, counters 1"), std::string::npos) << damage.where();
    }
  }
}

}  // namespace
}  // namespace tuner::store::test
