#include "store/import.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "store/database.h"
#include "store/stored_entries.h"
#include "unit/store/lookup_fixture.h"

namespace tuner::store::test {
namespace {

// Rows made elsewhere, as a folder and as a database.
class Import : public Lookup {
 protected:
  std::string there() const { return folder_.file("there.db"); }
  void put_there(const Row& row) {
    Store store = Store::open(there(), Store::Mode::read_write);
    store_row(store, row);
  }
  // The newest of what is there.
  std::string write_folder() {
    std::filesystem::create_directories(folder_.file("results"));
    write_file(folder_.file("results/gpu.json"),
               write_results(export_results(Store::open(there(), Store::Mode::read_only))));
    return folder_.file("results");
  }
  Imported import(const std::string& path) {
    const auto store = open();
    return import_paths(*store, {path}).at(0);
  }
  std::int64_t count(const std::string& table) {
    Connection db(folder_.file("user.db"), Connection::Access::read);
    return db.scalar("SELECT count(*) FROM " + table);
  }
  // Moves the time of every result of a database.
  static void date(const std::string& path, const std::string& when) {
    Connection db(path, Connection::Access::write);
    db.execute("UPDATE results SET saved_at = '" + when + "'; UPDATE runs SET started_at = '" + when + "'");
  }
};

TEST_F(Import, AFolderKeepsWhatItSays) {
  put_there({.tied = "warp"});
  put_there({.rows = 8192});
  date(there(), "2026-01-02T03:04:05Z");
  const Imported done = import(write_folder());
  EXPECT_EQ(done.results, 2);
  EXPECT_EQ(done.trials, 5);
  const Answer answer = best(query(4096, 4096));
  EXPECT_EQ(answer.match, Match::exact);
  EXPECT_EQ(answer.layer, "user");
  EXPECT_EQ(answer.entry->tuned_at, "2026-01-02T03:04:05Z");
  EXPECT_EQ(answer.entry->driver, "580.159.04");
  EXPECT_EQ(answer.entry->nvrtc, "13.0.88");
  EXPECT_EQ(answer.trial->samples_us, std::vector<float>(5, 10));
  EXPECT_EQ(answer.entry->result.tied.size(), 2U);
  EXPECT_FALSE(disagreement(*answer.entry));
  EXPECT_EQ(count("imports"), 1);
  EXPECT_GE(best(query(8192, 4096)).entry->result.expected_loss, 0) << "losses were not computed";
  // What goes out again is what came in.
  const auto entries = export_results(*open());
  EXPECT_EQ(parse_results(write_results(entries), "x").size(), 2U);
}

TEST_F(Import, TwiceAddsNothing) {
  put_there({});
  const std::string folder = write_folder();
  EXPECT_EQ(import(folder).results, 1);
  Imported again = import(folder);
  EXPECT_TRUE(again.nothing());
  EXPECT_EQ(again.known, 1);
  put_there({.rows = 8192});  // the same file with a row more
  again = import(write_folder());
  EXPECT_EQ(again.results, 1);
  EXPECT_EQ(again.known, 1);
  EXPECT_EQ(count("results"), 2);
  // One's own export is known too.
  write_file(folder_.file("own.json"), write_results(export_results(*open())));
  EXPECT_TRUE(import(folder_.file("own.json")).nothing());
}

TEST_F(Import, ADatabaseBringsEveryTrial) {
  put_there({.tied = "warp"});
  {
    Store store = Store::open(there(), Store::Mode::read_write);
    Trial wrong = timed(gemv(4096, 4096), config_of("shared", 32), 0, false);
    wrong.status = Status::rejected;
    wrong.reason = Reason::wrong_result;
    wrong.detail = "y[3]";
    const auto original = store.save(1, timed(gemv(4096, 4096), config_of("vec", 1024), 20, false));
    Trial twin = timed(gemv(4096, 4096), config_of("vec", 2048), 20, false);
    twin.status = Status::duplicate;
    twin.duplicate_of = original;
    store.save_all(1, {wrong, twin});
    store.keep_text("0123456789abcdef0123456789abcdef", "manifest", "gemv.yaml", "tuner: 1\n");
    store.pin({.problem = gemv(64, 64), .config = config_of("vec", 64), .why = "theirs"});
    store.forbid({.params = config_of("naive", 32), .why = "theirs"});
  }
  put({.rows = 64, .columns = 64});  // so that ids differ
  Imported done = import(there());
  EXPECT_EQ(done.results, 1);
  EXPECT_EQ(done.trials, 6);
  EXPECT_EQ(done.pins, 1);
  EXPECT_EQ(done.forbids, 1);
  {
    const auto store = open();
    const auto trials = store->trials(gpu_named("NVIDIA H200"), gemv(4096, 4096), "plain");
    ASSERT_EQ(trials.size(), 6U);
    int twins = 0;
    for (const Trial& trial : trials) {
      if (trial.status == Status::rejected) {
        EXPECT_EQ(trial.detail, "y[3]");
      }
      if (trial.duplicate_of == 0) continue;
      ++twins;
      EXPECT_EQ(store->trial(trial.duplicate_of)->config, config_of("vec", 1024));
    }
    EXPECT_EQ(twins, 1);
    EXPECT_EQ(store->text("0123456789abcdef0123456789abcdef"), "tuner: 1\n");
    EXPECT_EQ(store->pins().at(0).why, "theirs");
  }
  EXPECT_EQ(variant(best(query(4096, 4096))), "vec");
  done = import(there());
  EXPECT_TRUE(done.nothing());
  EXPECT_EQ(done.known, 1);
}

TEST_F(Import, OfTwoRowsTheLaterTunedOneAnswers) {
  put({.winner = config_of("warp", 64)});
  date(folder_.file("user.db"), "2026-06-01T00:00:00Z");
  put_there({.winner = config_of("shared", 64)});
  date(there(), "2026-05-01T00:00:00Z");
  EXPECT_EQ(import(write_folder()).results, 1);
  EXPECT_EQ(count("results"), 2) << "both are kept";
  EXPECT_EQ(variant(best(query(4096, 4096))), "warp") << "the older one came later";
  EXPECT_EQ(to_text(*open()
                         ->trial(open()->result(gpu_named("NVIDIA H200"), gemv(4096, 4096), "plain")->winner)
                         ->config.find("variant")),
            "warp");
  date(there(), "2026-07-01T00:00:00Z");
  EXPECT_EQ(import(write_folder()).results, 1);
  EXPECT_EQ(variant(best(query(4096, 4096))), "shared");
}

TEST_F(Import, NewerPinsReplaceOlderOnes) {
  open()->pin(
      {.problem = gemv(64, 64), .config = config_of("vec", 64), .why = "mine", .made_at = "2026-06-01T00:00:00Z"});
  Overrules theirs;
  Pin pin{.problem = gemv(64, 64), .config = config_of("warp", 64), .why = "older", .made_at = "2026-05-01T00:00:00Z"};
  store::put(theirs, pin);
  write_file(folder_.file("o.json"), write_overrules(theirs));
  EXPECT_TRUE(import(folder_.file("o.json")).nothing());
  pin.why = "newer";
  pin.made_at = "2026-07-01T00:00:00Z";
  store::put(theirs, pin);
  write_file(folder_.file("o.json"), write_overrules(theirs));
  EXPECT_EQ(count("imports"), 0);
  EXPECT_EQ(import(folder_.file("o.json")).pins, 1);
  EXPECT_EQ(count("imports WHERE run IS NULL"), 1);
  ASSERT_EQ(open()->pins().size(), 1U);
  EXPECT_EQ(open()->pins()[0].why, "newer");
}

TEST_F(Import, AddsNothingOfAGoodPathBesideABadOne) {
  put_there({});
  const std::string folder = write_folder();
  write_file(folder_.file("bad.json"), "{\"tuner\": 1}");
  const auto store = open();
  for (const std::string& bad : {folder_.file("bad.json"), folder_.file("none")})
    for (const std::string& good : {folder, there()}) {
      EXPECT_THROW(import_paths(*store, {good, bad}), UserError);
      EXPECT_EQ(count("results"), 0);
      EXPECT_EQ(count("imports"), 0);
    }
  const auto done = import_paths(*store, {folder, there(), folder});
  ASSERT_EQ(done.size(), 3U);
  EXPECT_EQ(done[0].results, 1);
  EXPECT_EQ(done[2].known, 1);
}

TEST_F(Import, RefusesAllOfAPathWithAFault) {
  put_there({});
  const std::string folder = write_folder();
  write_file(folder + "/z.json", "{\"tuner\": 1}");
  EXPECT_THROW(import(folder), UserError);
  EXPECT_EQ(count("results"), 0);
  EXPECT_THROW(import(folder_.file("none")), UserError);
  EXPECT_THROW(import(folder_.file("user.db")), UserError);
  std::filesystem::create_directories(folder_.file("empty"));
  EXPECT_THROW(import(folder_.file("empty")), UserError);
  std::string text = read_file(folder + "/gpu.json");
  text.replace(text.find("\"time_us\": 10"), 13, "\"time_us\": 11");
  write_file(folder + "/gpu.json", text);
  EXPECT_THROW(import(folder + "/gpu.json"), UserError);
}

}  // namespace
}  // namespace tuner::store::test
