// Look-up reads results in outline and only what it answers with in whole; a damaged row costs no more than itself.
#include <gtest/gtest.h>

#include "core/error.h"
#include "store/ladder.h"
#include "store/results_file.h"
#include "store/stored_entries.h"
#include "unit/store/fixtures.h"
#include "unit/store/knowledge.h"

namespace tuner::store::test {
namespace {

class Outlines : public testing::Test {
 protected:
  // Problems of these sizes, each with two trials; twice, so that an older result stands behind each.
  void make() {
    Store store = Store::open(path_, Store::Mode::read_write);
    for (int round = 0; round < 2; ++round) {
      const auto run = store.begin_run(run_on(gpu_named("NVIDIA H200")));
      for (const std::int64_t size : {1024, 2048, 65536}) {
        ProblemResult result;
        result.problem = gemv(size, size);
        result.winner = store.save(run, measured(result.problem, config_of("vec", 256), {10, 10, 10}));
        result.default_trial = store.save(run, measured(result.problem, config_of("naive", 64), {30, 30, 30}));
        result.tied = {result.winner};
        result.ceiling.probe_us = 9;
        store.save_result(run, result);
      }
      store.end_run(run, "done");
    }
  }
  Layers layers(bool named) {
    Layers::Places places;
    places.database = path_;
    places.database_named = named;
    std::vector<std::string> warnings;
    return Layers::open(places, warnings);
  }
  static Query query(std::int64_t size) {
    Query query;
    query.kernel = "gemv_f16";
    query.dims = {size, size};
    return query;
  }

  const ScratchFolder folder_;
  const std::string path_ = folder_.file("user.db");
};

TEST_F(Outlines, AreTheNewestAndBecomeWhatAnExportHolds) {
  make();
  const Store store = Store::open(path_, Store::Mode::read_only);
  std::vector<Entry> entries = outlines(store);
  ASSERT_EQ(entries.size(), 3U);
  for (const Entry& entry : entries) {
    EXPECT_NE(entry.unread, 0);
    EXPECT_GT(entry.unread, 3);
    EXPECT_EQ(entry.gpu.name, "NVIDIA H200");
    EXPECT_TRUE(entry.trials.empty());
    EXPECT_EQ(entry.result.ceiling.probe_us, 0);
  }
  EntryReader reader(store);
  for (Entry& entry : entries) reader.read_rest(entry);
  sort_entries(entries);
  EXPECT_EQ(write_results(entries), write_results(export_results(store)));
  EXPECT_EQ(entries.front().unread, 0);
  EXPECT_EQ(entries.front().trials.size(), 2U);
  EXPECT_EQ(entries.front().nvrtc, "13.0.88");
}

TEST_F(Outlines, OnlyWhatIsAnsweredIsRead) {
  make();
  const Layers layers = this->layers(true);
  const auto answers = layers.best(query(1024), gemv_knowledge());
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].entry->unread, 0);
  EXPECT_EQ(answers[0].entry->result.ceiling.probe_us, 9);
  // The others lie beside it, in order of size.
  EXPECT_NE((answers[0].entry + 1)->unread, 0);
  EXPECT_NE((answers[0].entry + 2)->unread, 0);
  for (const Entry& entry : layers.entries()) EXPECT_EQ(entry.unread, 0);
}

TEST_F(Outlines, ADamagedRowOfTheDefaultDatabaseIsLeftOutWithAWarning) {
  make();
  {
    Connection db(path_, Connection::Access::write);
    db.execute("UPDATE trials SET params = '{\"block_size\": 1.5}' WHERE problem = 1");
  }
  EXPECT_THROW(layers(true).best(query(1024), gemv_knowledge()), UserError);
  const Layers layers = this->layers(false);
  const auto answers = layers.best(query(1024), gemv_knowledge());
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].match, Match::near_shape);
  EXPECT_EQ(answers[0].tuned_dims, (std::vector<std::int64_t>{2048, 2048}));
  ASSERT_EQ(layers.warnings().size(), 1U);
  EXPECT_EQ(layers.warnings()[0],
            "rows of the database are left out: parameter 'block_size' must be an integer, a boolean or a string");
}

}  // namespace
}  // namespace tuner::store::test
