// Pins, forbids and losses in a look-up.
#include <gtest/gtest.h>

#include "store/gpu_choice.h"
#include "store/ladder.h"
#include "store/overrules_file.h"
#include "unit/store/lookup_fixture.h"

namespace tuner::store::test {
namespace {

TEST_F(Lookup, ForbiddenIsNotAnswered) {
  put({.tied = "warp"});
  open()->forbid({.kernel = "gemv_f16", .gpu = "H200", .params = {{{"variant", Name{"vec"}}}}, .why = "unlucky"});
  EXPECT_EQ(variant(best(query(4096, 4096))), "warp");
  EXPECT_EQ(variant(best(query(5000, 4096))), "warp");
  const auto id = open()->forbid({.params = {{{"variant", Name{"warp"}}}}, .why = "x"});
  EXPECT_EQ(variant(best(query(4096, 4096))), "naive");  // the fastest of the others
  open()->forbid({.params = {{{"variant", Name{"naive"}}}}, .why = "x"});
  EXPECT_TRUE(layers().best(query(4096, 4096), gemv_knowledge()).empty());
  EXPECT_TRUE(open()->remove_forbid(id));
  EXPECT_FALSE(open()->remove_forbid(id));
  EXPECT_EQ(variant(best(query(4096, 4096))), "warp");
}

TEST(GpuNames, APinForEveryGpuIsForOneWithoutAName) {
  EXPECT_TRUE(contains_blind("", ""));
  EXPECT_TRUE(contains_blind("NVIDIA H200", ""));
  EXPECT_FALSE(contains_blind("", "H200"));
  Pin pin;
  pin.problem = gemv(4096, 4096);
  EXPECT_EQ(pin_for({pin}, pin.problem, pin.regime, GpuFacts{}) != nullptr, true);
}

// shared is faster than naive, and by the objective it is the worst.
TEST_F(Lookup, WhereTheTimeIsNotTheObjectiveCostsRank) {
  put({.tied = "warp"});
  {
    auto store = open();
    ProblemResult result = *store->result(gpu_named("NVIDIA H200"), gemv(4096, 4096), "plain");
    result.objective = "min a = time_us * price";
    const std::int64_t shared = store->save(1, timed(gemv(4096, 4096), config_of("shared", 64), 20, true));
    for (const auto& [id, cost] : std::map<std::int64_t, double>{{1, 5.0}, {2, 5.0}, {3, 6.0}, {shared, 9.0}}) {
      Trial trial = *store->trial(id);
      trial.cost = cost;
      store->save(1, trial);
    }
    store->save_result(1, result);
  }
  Query asked = query(4096, 4096);
  asked.top = 1000;
  const Layers all = layers();
  std::vector<std::string> order;
  for (const Answer& answer : all.best(asked, gemv_knowledge())) order.push_back(variant(answer));
  EXPECT_EQ(order, (std::vector<std::string>{"vec", "warp", "naive", "shared"}));
  asked.by = "variant";
  order.clear();
  for (const Answer& answer : all.best(asked, gemv_knowledge())) order.push_back(variant(answer));
  EXPECT_EQ(order, (std::vector<std::string>{"vec", "warp", "naive", "shared"}));
  Pin pin;
  pin.problem = gemv(4096, 4096);
  pin.config = config_of("naive", 64);
  pin.why = "quiet";
  const auto pinned = all.with_pin(pin, std::nullopt, gemv_knowledge());
  ASSERT_EQ(pinned.size(), 1U);
  EXPECT_NEAR(pinned[0].cost.value_or(-1), 0.2, 1e-9);
  for (const char* one : {"vec", "warp"}) open()->forbid({.params = {{{"variant", Name{one}}}}, .why = "x"});
  EXPECT_EQ(variant(best(query(4096, 4096))), "naive");
}

TEST_F(Lookup, TheForbiddenGoesBeforeTheBestOfEachValueIsChosen) {
  put({.tied = "warp"});
  const auto id = open()->forbid({.params = {{{"block_size", std::int64_t{256}}}}, .why = "too hot"});
  {
    auto store = open();
    const auto run = store->runs().at(0).id;
    store->save(run, timed(gemv(4096, 4096), config_of("vec", 128), 12, true));
  }
  Query asked = query(4096, 4096);
  asked.by = "variant";
  const Layers all = layers();
  auto answers = all.best(asked, gemv_knowledge());
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0].config, config_of("vec", 128));
  EXPECT_EQ(variant(answers[1]), "naive");
  ASSERT_EQ(answers[0].forbidden.size(), 1U);
  EXPECT_EQ(answers[0].forbidden[0]->why, "too hot");
  asked.by.clear();
  asked.top = 1000;
  EXPECT_EQ(all.best(asked, gemv_knowledge()).size(), 2U);
  open()->remove_forbid(id);
  EXPECT_EQ(layers().best(asked, gemv_knowledge()).size(), 4U);
}

TEST_F(Lookup, WhereARowIsForbiddenWhollyTheNextRungAnswers) {
  put({.winner = config_of("vec", 512)});
  open()->forbid({.params = {{{"variant", Name{"vec"}}}}, .why = "x"});
  Query asked = query(4096, 4096);
  asked.by = "unroll_by";
  EXPECT_THROW(layers().best(asked, gemv_knowledge()), UserError);
  open()->forbid({.params = {{{"block_size", std::int64_t{64}}}}, .why = "y"});
  asked.by = "variant";
  std::vector<const Forbid*> in_the_way;
  const Layers all = layers();
  EXPECT_TRUE(all.best(asked, gemv_knowledge(), &in_the_way).empty());
  ASSERT_EQ(in_the_way.size(), 2U);
  EXPECT_EQ(in_the_way[1]->why, "y");
}

TEST_F(Lookup, ARowItselfAnswersWithWhatIsAllowed) {
  put({.tied = "warp"});
  open()->forbid({.params = {{{"variant", Name{"vec"}}}}, .why = "x"});
  const Layers all = layers();
  const KernelKnowledge knowledge = gemv_knowledge();
  const Ladder ladder(all.entries(), all.pins(), all.forbids(), knowledge, [](const Entry&) {});
  const auto answer = ladder.of_row(all.entries().at(0));
  ASSERT_TRUE(answer);
  EXPECT_EQ(variant(*answer), "warp");
  ASSERT_EQ(answer->forbidden.size(), 1U);
}

TEST_F(Lookup, APinOverrules) {
  put({});
  const auto any = open()->pin({.problem = gemv(4096, 4096), .config = config_of("naive", 64), .why = "x"});
  Answer answer = best(query(4096, 4096));
  EXPECT_EQ(answer.match, Match::pinned);
  EXPECT_EQ(variant(answer), "naive");
  ASSERT_NE(answer.trial, nullptr);
  EXPECT_EQ(answer.trial->time_us, 50);
  ASSERT_TRUE(answer.cost);
  EXPECT_EQ(*answer.cost, 4);  // against the winner's 10
  EXPECT_EQ(answer.pin->why, "x");
  EXPECT_EQ(best(query(4096, 4097)).match, Match::near_shape);
  open()->pin({.problem = gemv(4096, 4096), .gpu = "h200", .config = config_of("warp", 64), .why = "x"});
  EXPECT_EQ(variant(best(query(4096, 4096))), "warp");  // it names the GPU
  EXPECT_TRUE(open()->remove_pin(any));
  EXPECT_EQ(open()->pins().size(), 1U);
}

// A pin in a folder's file.
Pin pinned_there(const Config& config, const std::string& why) {
  return {.problem = gemv(4096, 4096), .config = config, .why = why, .unverified = true};
}

TEST_F(Lookup, TheFirstLayerThatPinsWins) {
  put({});
  const auto write = [this](const std::string& layer, const Overrules& overrules) {
    std::filesystem::create_directories(folder_.file(layer));
    write_file(folder_.file(layer) + "/pins.json", write_overrules(overrules));
  };
  Overrules site;
  Pin named = pinned_there(config_of("shared", 64), "of the site");
  named.gpu = "h200";  // more to the point, but of a later layer
  store::put(site, named);
  write("site", site);
  EXPECT_EQ(best(query(4096, 4096)).layer, "site");
  Overrules project;
  store::put(project, pinned_there(config_of("warp", 64), "of the project"));
  write("project", project);
  Answer answer = best(query(4096, 4096));
  EXPECT_EQ(answer.layer, "project");
  EXPECT_EQ(answer.pin->why, "of the project");
  EXPECT_EQ(variant(answer), "warp");
  EXPECT_TRUE(answer.unverified);
  EXPECT_FALSE(answer.cost);
  open()->pin({.problem = gemv(4096, 4096), .config = config_of("naive", 64), .why = "mine"});
  EXPECT_EQ(best(query(4096, 4096)).layer, "user");
  // What any layer forbids is not answered, and the pin that is not obeyed is named.
  Overrules shipped;
  store::put(shipped, Forbid{.params = {{{"variant", Name{"naive"}}}}, .why = "slow"});
  write("shipped", shipped);
  answer = best(query(4096, 4096));
  EXPECT_EQ(answer.match, Match::exact);
  ASSERT_NE(answer.ignored, nullptr);
  EXPECT_EQ(answer.ignored->why, "mine");
  ASSERT_EQ(answer.forbidden.size(), 1U);
  EXPECT_EQ(answer.forbidden[0]->layer, "shipped");
}

TEST_F(Lookup, APinNewerThanTheSweepFindsItsCostInTheDatabase) {
  put({});
  {
    // Measured in that sweep, but not among the trials that a row shows.
    const auto store = open();
    Trial slower = timed(gemv(4096, 4096), config_of("vec", 1024), 12.5, false);
    store->save(1, slower);
    Trial wrong = timed(gemv(4096, 4096), config_of("shared", 32), 0, false);
    wrong.status = Status::rejected;
    wrong.reason = Reason::wrong_result;
    store->save(1, wrong);
    store->pin({.problem = gemv(4096, 4096), .config = config_of("vec", 1024), .why = "x", .unverified = true});
  }
  Answer answer = best(query(4096, 4096));
  ASSERT_TRUE(answer.cost);
  EXPECT_EQ(*answer.cost, 0.25);
  EXPECT_FALSE(answer.unverified);
  open()->pin({.problem = gemv(4096, 4096), .config = config_of("shared", 32), .why = "x", .unverified = true});
  answer = best(query(4096, 4096));
  EXPECT_EQ(answer.match, Match::pinned);
  EXPECT_EQ(answer.rejected, "wrong result");
  EXPECT_TRUE(answer.unverified);
  EXPECT_FALSE(answer.cost);
}

TEST_F(Lookup, ANeighbourGivesWayToTheDefaultThatIsExpectedToBeBetter) {
  put({});
  const auto set = [this](double expected, double by_default, double worst) {
    Store store = Store::open(folder_.file("user.db"), Store::Mode::read_write);
    ProblemResult result = *store.result(gpu_named("NVIDIA H200"), gemv(4096, 4096), "plain");
    result.expected_loss = expected;
    result.default_loss = by_default;
    result.worst_loss = worst;
    result.loss_neighbours = 3;
    result.traveller = result.winner;
    store.save_result(1, result);
  };
  set(0.01, 0.03, 0.005);
  Answer answer = best(query(4096, 8192));
  EXPECT_EQ(answer.match, Match::near_shape);
  EXPECT_EQ(answer.expected_loss, 0.01);
  // Other shapes say nothing of another batch.
  Query batch = query(4096, 8192);
  batch.facts = {{"batch", std::int64_t{4}}};
  EXPECT_EQ(best(batch).match, Match::near_shape);
  EXPECT_EQ(best(batch).expected_loss, -1);
  batch.dims = {4096, 4096};
  EXPECT_EQ(best(batch).expected_loss, -1);
  set(0.04, 0.03, 0.005);
  EXPECT_EQ(best(batch).match, Match::by_default);
  EXPECT_EQ(best(batch).expected_loss, -1);
  answer = best(query(4096, 8192));
  EXPECT_EQ(answer.match, Match::by_default);
  EXPECT_EQ(answer.expected_loss, 0.03);
  ASSERT_NE(answer.passed, nullptr);
  EXPECT_EQ(answer.passed->result.problem, gemv(4096, 4096));
  set(0.01, 0.03, 0.021);  // better in the mean, and once much worse
  EXPECT_EQ(best(query(4096, 8192)).match, Match::by_default);
  EXPECT_EQ(best(query(4096, 4096)).match, Match::exact);
  // Where the default is forbidden the neighbour answers all the same.
  open()->forbid({.params = {{{"variant", Name{"naive"}}}}, .why = "x"});
  EXPECT_EQ(best(query(4096, 8192)).match, Match::near_shape);
}

}  // namespace
}  // namespace tuner::store::test
