// File systems and clocks as a Store does not wish them: both are asked of the C library, and here that is this file.
#include <gtest/gtest.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <optional>

#include "store/database.h"
#include "store/lookup.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "unit/store/lookup_fixture.h"

namespace {

std::optional<long> given_file_system;  // what every path is on
std::optional<std::time_t> given_time;

}  // namespace

extern "C" int statfs(const char* path, struct statfs* facts) noexcept {
  const auto failed = static_cast<int>(::syscall(SYS_statfs, path, facts));
  if (failed == 0 && given_file_system) facts->f_type = *given_file_system;
  return failed;
}

extern "C" std::time_t time(std::time_t* into) noexcept {
  timespec real{};
  ::clock_gettime(CLOCK_REALTIME, &real);
  const std::time_t seconds = given_time.value_or(real.tv_sec);
  if (into != nullptr) *into = seconds;
  return seconds;
}

namespace tuner::store::test {
namespace {

constexpr long nfs = 0x6969, lustre = 0x0bd00bd0, ext4 = 0xef53;

class Surroundings : public testing::Test {
 protected:
  void TearDown() override {
    given_file_system.reset();
    given_time.reset();
  }
  std::string journal() const { return Connection(path_, Connection::Access::read).scalar_text("PRAGMA journal_mode"); }
  ScratchFolder folder_;
  std::string path_ = folder_.file("a.db");
};

TEST_F(Surroundings, OnANetworkThereIsNoSharedIndex) {
  for (const long kind : {nfs, lustre}) {
    given_file_system = kind;
    EXPECT_TRUE(on_network(path_));
    Store store = Store::open(path_, Store::Mode::read_write);
    store_row(store, {});
    EXPECT_EQ(journal(), "delete");
    EXPECT_FALSE(std::filesystem::exists(path_ + "-shm"));
    EXPECT_TRUE(Store::open(path_, Store::Mode::read_only).result(gpu_named("NVIDIA H200"), gemv(4096, 4096), "plain"));
  }
  given_file_system = ext4;
  EXPECT_FALSE(on_network(path_));
}

TEST_F(Surroundings, ADatabaseThatMovesToANetworkKeepsItsRows) {
  given_file_system = ext4;
  {
    Store store = Store::open(path_, Store::Mode::read_write);
    store_row(store, {});
  }
  EXPECT_EQ(journal(), "wal");
  given_file_system = nfs;
  {
    Store store = Store::open(path_, Store::Mode::read_write);
    store_row(store, {.rows = 8});
  }
  EXPECT_EQ(journal(), "delete");
  given_file_system = ext4;
  Store store = Store::open(path_, Store::Mode::read_write);
  EXPECT_EQ(journal(), "wal");
  EXPECT_EQ(store.runs().size(), 2U);
  EXPECT_TRUE(store.result(gpu_named("NVIDIA H200"), gemv(8, 4096), "plain"));
}

// What was stored last is the newest, whatever time it was.
TEST_F(Surroundings, AClockThatGoesBackTurnsNothingRound) {
  constexpr std::time_t year = 365 * 86400;
  given_time = 1796000000;
  {
    Store store = Store::open(path_, Store::Mode::read_write);
    store_row(store, {.winner = config_of("vec", 128)});
    given_time = *given_time - 20 * year;
    store_row(store, {.winner = config_of("vec", 512)});
    const auto result = store.result(gpu_named("NVIDIA H200"), gemv(4096, 4096), "plain");
    ASSERT_TRUE(result);
    EXPECT_EQ(store.trial(result->winner)->config, config_of("vec", 512));
    ASSERT_EQ(store.runs().size(), 2U);
  }
  Layers::Places places;
  places.database = path_;
  places.database_named = true;
  std::vector<std::string> warnings;
  const Layers layers = Layers::open(places, warnings);
  Query query;
  query.kernel = "gemv_f16";
  query.dims = {4096, 4096};
  query.gpu = "NVIDIA H200";
  const auto answers = layers.best(query, gemv_knowledge());
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].config, config_of("vec", 512));
  EXPECT_EQ(answers[0].match, Match::exact);
}

}  // namespace
}  // namespace tuner::store::test
