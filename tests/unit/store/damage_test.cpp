// Databases of which a page is noise, or whose log ends anywhere: what is read is right or refused by name, and nothing
// crashes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "core/error.h"
#include "store/health.h"
#include "store/sqlite.h"
#include "store/store.h"
#include "unit/store/fixtures.h"
#include "unit/store/killed_writer.h"

namespace tuner::store::test {
namespace {

constexpr int stored_trials = 60;

// Trials with logs, so that every kind of page is there: tables, indices and what overflows.
void store_many(Store& store) {
  const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
  ProblemResult result;
  result.problem = gemv(64, 64);
  for (int i = 0; i < stored_trials; ++i) {
    Trial trial = measured(result.problem, config_of("vec", i), {3.0F, 4.0F});
    trial.log = std::string(static_cast<std::size_t>(i % 10 == 0 ? 9000 : 100), 'x');
    result.winner = store.save(run, trial);
  }
  store.keep_text("0123456789abcdef0123456789abcdef", "source", "gemv.cu", std::string(5000, 'y'));
  store.save_result(run, result);
  store.end_run(run, "done");
}

// Everything that is asked of a store; true where all of it was answered.
bool read_everything(const std::string& path) {
  try {
    const Store store = Store::open(path, Store::Mode::read_only);
    const GpuFacts gpu = gpu_named("NVIDIA H200");
    store.runs();
    store.result(gpu, gemv(64, 64), "plain");
    store.killers();
    store.deadly(gpu, gemv(64, 64), "plain");
    store.unfinished(run_on(gpu), gemv(64, 64), "plain");
    store.pins();
    store.text("0123456789abcdef0123456789abcdef");
    for (const Trial& trial : store.trials(gpu, gemv(64, 64), "plain")) {
      EXPECT_EQ(trial.problem, gemv(64, 64));
      store.trial(trial.id);
    }
    return true;
  } catch (const Error& error) {
    EXPECT_NE((error.what() + error.where()).find(path), std::string::npos) << error.what() << " at " << error.where();
    EXPECT_NE(error.hint(), "") << error.what();
    return false;
  }
}

TEST(Damage, APageOfNoiseIsRefusedByNameOrNotNeeded) {
  const ScratchFolder folder;
  const std::string whole = folder.file("whole.db"), path = folder.file("a.db");
  {
    Store store = Store::open(whole, Store::Mode::read_write);
    store_many(store);
  }
  const std::string bytes = read_file(whole);
  std::mt19937 random(1);
  std::size_t refused = 0, pages = bytes.size() / 4096;
  ASSERT_GT(pages, 20U);
  for (std::size_t page = 0; page < pages; ++page) {
    std::string damaged = bytes;
    for (std::size_t i = page * 4096 + (page == 0 ? 100 : 0); i < (page + 1) * 4096; ++i)
      damaged[i] = static_cast<char>(random());
    write_file(path, damaged);
    SCOPED_TRACE("page " + std::to_string(page + 1) + " of " + std::to_string(pages));
    if (!read_everything(path)) ++refused;
    EXPECT_EQ(read_file(path), damaged) << "reading wrote";
    EXPECT_EQ(check_database(path).health, Health::damaged);
    try {  // what a sweep does; it may not need the page, but it must not end in anything else
      Store store = Store::open(path, Store::Mode::read_write);
      store_many(store);
    } catch (const Error& error) {
      EXPECT_NE((error.what() + error.where()).find(path), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(refused, pages / 2);
}

// As a power failure leaves it: each whole transaction is there, no part of one.
TEST(Damage, ALogThatEndsAnywhereKeepsWhatWasWholeInIt) {
  const ScratchFolder folder;
  const std::string path = folder.file("a.db");
  kill_when_ready([&path](const std::function<void()>& ready) {
    Store store = Store::open(path, Store::Mode::read_write);
    const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
    for (int i = 0; i < 20; ++i) store.save(run, measured(gemv(64, 64), config_of("vec", i), {3.0F}));
    ready();
    ::pause();
  });
  const std::string main_file = read_file(path), log = read_file(path + "-wal");
  ASSERT_GT(log.size(), 20U * 4096);
  std::int64_t before = -1;
  for (std::size_t end = 0; end <= log.size(); end = end == log.size() ? end + 1 : std::min(end + 1777, log.size())) {
    for (const char* part : {"-wal", "-shm"}) std::filesystem::remove(path + part);
    write_file(path, main_file);
    write_file(path + "-wal", log.substr(0, end));
    Store store = Store::open(path, Store::Mode::read_write);
    const auto kept = static_cast<std::int64_t>(store.trials(gpu_named("NVIDIA H200"), gemv(64, 64), "plain").size());
    EXPECT_GE(kept, before);
    before = kept;
    Connection db(path, Connection::Access::read);
    EXPECT_EQ(db.scalar_text("PRAGMA integrity_check"), "ok");
    EXPECT_EQ(db.scalar("SELECT count(*) FROM trials"), kept);
  }
  EXPECT_EQ(before, 20);
}

}  // namespace
}  // namespace tuner::store::test
