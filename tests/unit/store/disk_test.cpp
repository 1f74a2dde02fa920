// Files that older versions wrote, kept as SQL text: every one opens, reads as it did and takes new rows.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "store/database.h"
#include "store/migrations.h"
#include "store/results_file.h"
#include "store/store.h"
#include "unit/store/fixtures.h"

namespace tuner::store::test {
namespace {

void make_from_text(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
      << (message != nullptr ? message : "");
  sqlite3_close(db);
}

std::string disk_text(int version) {
  return read_file(std::string(TUNER_SOURCE_DIR) + "/tests/disk/v" + std::to_string(version) + ".sql");
}

void expect_rows_of_v1(const Store& store) {
  const GpuFacts gpu = gpu_named("NVIDIA H200");
  const auto trials = store.trials(gpu, gemv(4096, 14336), "plain");
  ASSERT_EQ(trials.size(), 3U);
  EXPECT_EQ(trials[0].config, config_of("vec", 256));
  EXPECT_EQ(trials[0].samples_us, (std::vector<float>{28.25F, 28.5F, 28.25F}));
  EXPECT_EQ(trials[0].log, "warning");
  EXPECT_TRUE(trials[0].finalist);
  EXPECT_EQ(trials[0].cubin_hash, "fedcba9876543210fedcba9876543210");
  EXPECT_EQ(trials[2].reason, Reason::wrong_result);
  const auto result = store.result(gpu, gemv(4096, 14336), "plain");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->winner, trials[0].id);
  EXPECT_EQ(result->baselines.at(0).time_us, 31.2);
  EXPECT_EQ(store.text("0123456789abcdef0123456789abcdef"), "tuner: 1\n");
  EXPECT_EQ(store.pins().at(0).why, "tried it");
  EXPECT_EQ(store.forbids().at(0).params.label(), "block_size=1024");
  EXPECT_EQ(export_results(store).at(0).trials.size(), 2U);
  EXPECT_EQ(store.runs().at(0).outcome, "done");
}

void expect_counters(const Store& store, int version) {
  const auto counters = store.counters(gpu_named("NVIDIA H200"), gemv(4096, 14336), config_of("vec", 256));
  ASSERT_EQ(counters.has_value(), version >= 4);
  if (!counters) return;
  EXPECT_EQ(counters->profiler, "ncu 2025.3.1.0");
  EXPECT_EQ(counters->cubin_hash, "fedcba9876543210fedcba9876543210");
  ASSERT_EQ(counters->launches.size(), 1U);
  EXPECT_EQ(counters->launches[0].find("dram__throughput.avg.pct_of_peak_sustained_elapsed"), 93.8);
  EXPECT_EQ(counters->launches[0].absent.at(0).second, "not on this GPU");
}

void expect_objective(const Store& store, int version) {
  const auto result = store.result(gpu_named("NVIDIA H200"), gemv(4096, 14336), "plain");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->objective, version >= 5 ? "max a = 1 / time_s" : "");
  EXPECT_EQ(store.trial(1)->cost, version >= 5 ? 0.5 : 0);
  EXPECT_EQ(store.trial(2)->cost, 0);
  EXPECT_EQ(result->search, version >= 6 ? "forest" : "");
  EXPECT_EQ(store.trial(1)->seconds, version >= 6 ? 0.25 : 0);
}

TEST(Disk, EveryVersionOpens) {
  for (int version = 1; version <= static_cast<int>(migrations().size()); ++version) {
    const ScratchFolder folder;
    const std::string path = folder.file("old.db");
    make_from_text(path, disk_text(version));
    EXPECT_EQ(read_header(path).user_version, version);
    {
      const Store store = Store::open(path, Store::Mode::read_only);
      expect_rows_of_v1(store);
      expect_counters(store, version);
      expect_objective(store, version);
      EXPECT_FALSE(store.pins().at(0).unverified);
      EXPECT_EQ(export_results(store).at(0).result.expected_loss, -1);
    }
    EXPECT_EQ(read_header(path).user_version, version) << "reading wrote";
    Store store = Store::open(path, Store::Mode::read_write);
    expect_rows_of_v1(store);
    expect_counters(store, version);
    expect_objective(store, version);
    const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
    const auto id = store.save(run, measured(gemv(8, 8), config_of("vec", 64), {1.0F}));
    EXPECT_EQ(store.trial(id)->config, config_of("vec", 64));
  }
}

// A migration that is edited after it shipped breaks files that are already out there.
TEST(Disk, TheKeptFileHasTheSchemaOfItsMigration) {
  const ScratchFolder folder;
  make_from_text(folder.file("kept.db"), disk_text(static_cast<int>(migrations().size())));
  { Store::open(folder.file("new.db"), Store::Mode::read_write); }
  Connection kept(folder.file("kept.db"), Connection::Access::read);
  Connection fresh(folder.file("new.db"), Connection::Access::read);
  const std::string all = "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema ORDER BY name)";
  EXPECT_EQ(kept.scalar_text(all), fresh.scalar_text(all));
}

}  // namespace
}  // namespace tuner::store::test
