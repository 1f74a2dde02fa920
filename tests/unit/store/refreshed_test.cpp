// What is still known where a refresh tried a few configurations again.
#include <gtest/gtest.h>

#include "store/expected_loss.h"
#include "unit/store/lookup_fixture.h"

namespace tuner::store::test {
namespace {

class Refreshed : public Lookup {
 protected:
  // The winner alone, tried again; `right`: its result is stored.
  void refresh(float us, bool right = true) {
    const auto store = open();
    const auto run = store->begin_run(run_on(gpu_named("NVIDIA H200")));
    ProblemResult result;
    result.problem = gemv(4096, 4096);
    result.search = refresh_search;
    Trial again = timed(result.problem, config_of("vec", 256), us, true);
    if (!right) again.status = Status::rejected, again.reason = Reason::wrong_result;
    result.winner = store->save(run, again);
    result.tied = {result.winner};
    if (right) store->save_result(run, result);
    store->end_run(run, "done");
  }
  std::vector<std::string> variants() {
    std::vector<std::string> variants;
    for (const Trial& trial : open()->trials(gpu_named("NVIDIA H200"), gemv(4096, 4096), "plain"))
      variants.push_back(to_text(*trial.config.find("variant")) + " " + std::string(to_text(trial.status)));
    return variants;
  }
};

TEST_F(Refreshed, TheTrialsOfTheSweepStandBehind) {
  put({});
  refresh(11);
  refresh(12);
  EXPECT_EQ(variants(), (std::vector<std::string>{"vec measured", "naive measured"}));
  Query asking = query(4096, 4096, "");
  asking.by = "variant";
  const Layers here = layers();
  const auto answers = here.best(asking, gemv_knowledge());
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].trial->time_us, 12);
  EXPECT_EQ(answers[1].trial->time_us, 50);
}

TEST_F(Refreshed, AlsoWhereNothingWasRight) {
  put({});
  refresh(11, false);
  EXPECT_EQ(variants(), (std::vector<std::string>{"vec rejected", "naive measured"}));
  EXPECT_EQ(open()->result(gpu_named("NVIDIA H200"), gemv(4096, 4096), "plain")->search, "");
}

TEST_F(Refreshed, ASweepStandsForItself) {
  put({});
  Row row;
  row.winner = config_of("warp", 128);
  put(row);
  EXPECT_EQ(variants(), (std::vector<std::string>{"warp measured", "naive measured"}));
}

TEST_F(Refreshed, WhatTravelsIsToldByTheTrialsBehindAsWell) {
  for (const std::int64_t rows : {2048, 4096, 8192, 16384}) {
    Row row;
    row.rows = rows;
    put(row);
  }
  refresh(11);
  const auto store = open();
  update_expected_losses(*store, gpu_named("NVIDIA H200"), "gemv_f16", "plain");
  const auto result = store->result(gpu_named("NVIDIA H200"), gemv(4096, 4096), "plain");
  EXPECT_EQ(result->loss_neighbours, 3);
  EXPECT_NE(result->traveller, 0);
  const double kept = result->expected_loss;
  store->save_result(5, [&] {
    ProblemResult told = *result;
    told.expected_loss = kept + 0.25;
    return told;
  }());
  update_expected_losses(*store, gpu_named("NVIDIA H200"), "gemv_f16", "plain");
  EXPECT_EQ(store->result(gpu_named("NVIDIA H200"), gemv(4096, 4096), "plain")->expected_loss, kept + 0.25)
      << "what it came with stays";
  const auto neighbour = store->result(gpu_named("NVIDIA H200"), gemv(2048, 4096), "plain");
  EXPECT_EQ(neighbour->loss_neighbours, 2) << "no default ran at the one that was refreshed";
}

}  // namespace
}  // namespace tuner::store::test
