// Stored results confirmed again: what runs, what is said, and what is still known after.
#include "tune/refresh.h"

#include <list>
#include <set>

#include "store/results_file.h"
#include "tune/anchors.h"
#include "tune/finished.h"
#include "unit/tune/tune_fixture.h"

namespace tuner::tune {
namespace {

using Images = std::map<std::string, std::string>;  // of a kind, in place of fake_images

class RefreshTest : public TuneProblem {
 protected:
  void SetUp() override {
    TuneProblem::SetUp();
    write("fake.yaml", fake_manifest);
    catalog_ = spec::Catalog::load({folder_.string()});
    kernel_ = catalog_.at("fake", "");
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  void change_template() const { write("fake.cu", "extern \"C\" __global__ void gemv() { int changed; }\n"); }
  void change_manifest(const std::string& from, const std::string& to) {
    std::string text = fake_manifest;
    text.replace(text.find(from), from.size(), to);
    write("fake.yaml", text);
    catalog_ = spec::Catalog::load({folder_.string()});
    kernel_ = catalog_.at("fake", "");
  }

  // What was known first: fast and near are tied, the default is far behind, others as well.
  void sweep(const std::vector<std::string>& kinds = {"fast", "near", "close", "default_one", "slow", "wrong"}) {
    store::Store store = database();
    run(kinds, store, {});
  }

  const RefreshPlan& plan() {
    RefreshQuestion question;
    question.gpu = session().facts.gpu;
    question.gpu.driver = driver_;
    question.compiler = [this](const spec::KernelSpec&) { return nvrtc_; };
    question.again = again_;
    question.kernels = kernels_;
    layers_.push_back(
        store::Layers::open({(folder_ / "t.db").string(), true, (folder_ / "project").string(), "", ""}, problems_));
    plans_.push_back(plan_refresh(layers_.back().entries(), catalog_, overrules_, question));
    return plans_.back();
  }

  // Runs all of the plan; `images` of kinds that are another binary now.
  std::vector<Refreshed> refreshed(const Images& images = {}, double time_budget_s = 0) {
    const RefreshPlan& planned_rows = plan();
    Session here = session();
    here.facts.gpu.driver = driver_;
    here.facts.nvrtc = nvrtc_;
    for (const auto& [kind, image] : fake_images)
      adopt_as(here, kind, images.count(kind) > 0 ? images.at(kind) : image);
    std::vector<Refreshed> found;
    RefreshOptions options;
    options.sweep.overrules = overrules_;
    options.sweep.again = again_;
    options.sweep.stop = stop_;
    options.time_budget_s = time_budget_s;
    options.against_ceilings = false;
    options.on_row = [&](const Refreshed& one) { found.push_back(one); };
    store::Store store = database();
    done_ = refresh(planned_rows, options, here, store, warnings_);
    return found;
  }

  void adopt_as(Session& session, const std::string& kind, const std::string& image) const {
    const spec::PlannedProblem one = planned({kind});
    if (!kernel_.space.complete(spec::base_scope(kernel_, one.problem, session.gpu()), one.only)) return;
    for (const auto& source : render_all(one, enumerate(one, session.gpu()), session.gpu())) {
      Artifact artifact = fake_artifact(image);
      artifact.cubin_hash = image;
      artifact.kernels = {{"gemv", "gemv", 32, 0, 0, 0, {}}};
      session.builder->adopt(source.hash, artifact);
    }
  }

  std::string answer() {
    store::Store store = database();
    const auto result = store.result(session().gpu(), planned({}).problem, "plain");
    const auto winner = result ? store.trial(result->winner) : std::nullopt;
    return winner ? kind(winner->config) : "";
  }
  int runs() { return static_cast<int>(database().runs().size()); }
  std::set<std::string> known_kinds() {
    std::set<std::string> kinds;
    for (const Trial& trial : database().trials(session().gpu(), planned({}).problem, "plain"))
      kinds.insert(to_text(*trial.config.find("kind")));
    return kinds;
  }
  static std::string kind(const Config& config) { return to_text(*config.find("kind")); }

  spec::Catalog catalog_;
  std::string driver_, nvrtc_;
  bool again_ = false;
  std::function<bool()> stop_;
  std::vector<std::string> kernels_;
  Overrules overrules_;
  std::list<store::Layers> layers_;
  std::list<RefreshPlan> plans_;
  std::vector<std::string> problems_;
  RefreshDone done_;
};

TEST_F(RefreshTest, NothingThatIsCurrentIsLookedAt) {
  sweep();
  EXPECT_TRUE(plan().rows.empty());
  EXPECT_EQ(plan().known, 1);
  write("fake.cu", "extern \"C\" __global__ void gemv() {} // a comment is no change\n");
  EXPECT_TRUE(plan().rows.empty());
  change_template();
  ASSERT_EQ(plan().rows.size(), 1U);
  EXPECT_EQ(plan().rows[0].state, "changed");
  EXPECT_EQ(plan().rows[0].ties.size(), 2U);
  EXPECT_EQ(kind(plan().rows[0].ties[0].config), "fast");
  ASSERT_EQ(plan().rows[0].beside.size(), 1U);
  EXPECT_EQ(kind(plan().rows[0].beside[0]), "default_one");
  kernels_ = {"other"};
  EXPECT_EQ(plan().known, 0);
}

TEST_F(RefreshTest, TheSameBinariesHoldAndNothingRuns) {
  sweep();
  change_template();
  const auto found = refreshed();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome, RefreshOutcome::same_binary);
  EXPECT_EQ(runs(), 1);
  EXPECT_TRUE(plan().rows.empty());
}

TEST_F(RefreshTest, OneOtherBinaryOfTheTiesIsEnough) {
  sweep();
  change_template();
  const auto found = refreshed({{"near", "gemv@5.003"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome, RefreshOutcome::confirmed) << found[0].why;
  EXPECT_EQ(runs(), 2);
}

TEST_F(RefreshTest, AnotherLaunchOfTheSameBinaryRuns) {
  sweep();
  change_manifest("grid: [M]", "grid: [2 * M]");
  const auto found = refreshed();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome, RefreshOutcome::confirmed) << found[0].why;
  EXPECT_EQ(runs(), 2);
}

TEST_F(RefreshTest, AnotherBinaryIsTimedAndNothingIsForgotten) {
  sweep();
  change_template();
  const auto found = refreshed({{"fast", "gemv@5.1"}, {"near", "gemv@5.3"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome, RefreshOutcome::confirmed) << found[0].why;
  EXPECT_NEAR(found[0].before_us, 5.0, 0.1);
  EXPECT_NEAR(found[0].time_us, 5.1, 0.1);
  EXPECT_EQ(answer(), "fast");
  EXPECT_TRUE(plan().rows.empty());
  const auto result = database().result(session().gpu(), planned({}).problem, "plain");
  EXPECT_EQ(result->search, refresh_search);
  EXPECT_EQ(result->candidates, 3);
  EXPECT_NE(result->incumbent, 0);
  // With this template the others were not tried, and what became of them before is known.
  EXPECT_FALSE(is_finished(planned({"fast", "close"}), "plain", session().gpu(), false, {}, database()));
  EXPECT_EQ(known_kinds(), (std::set<std::string>{"fast", "near", "close", "default_one", "slow", "wrong"}));
  for (const Trial& trial : database().trials(session().gpu(), planned({}).problem, "plain"))
    EXPECT_TRUE(kind(trial.config) != "fast" || std::abs(trial.time_us - 5.1) < 0.1) << "the newest trial of each";
}

TEST_F(RefreshTest, AnotherDriverIsTimedAndTheSpaceStaysTried) {
  sweep();
  driver_ = "600.1";
  EXPECT_EQ(plan().rows.size(), 0U) << "the driver of then is unknown";
  again_ = true;
  refreshed();
  again_ = false;
  driver_ = "600.2";
  ASSERT_EQ(plan().rows.size(), 1U);
  EXPECT_EQ(plan().rows[0].state, "elsewhere");
  const auto found = refreshed();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome, RefreshOutcome::confirmed) << found[0].why;
  EXPECT_EQ(runs(), 3);
  EXPECT_TRUE(plan().rows.empty());
  EXPECT_TRUE(
      is_finished(planned({"fast", "close", "slow", "wrong"}), "plain", session().gpu(), false, {}, database()));
}

TEST_F(RefreshTest, AnotherCompilerWithTheSameBinaryHolds) {
  nvrtc_ = "13.0.88";
  sweep();
  again_ = true;
  refreshed();  // now it is known with what
  again_ = false;
  nvrtc_ = "13.1.5";
  ASSERT_EQ(plan().rows.size(), 1U);
  EXPECT_EQ(plan().rows[0].state, "elsewhere");
  const auto found = refreshed();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome, RefreshOutcome::same_binary);
  EXPECT_TRUE(plan().rows.empty());
}

TEST_F(RefreshTest, AnotherOfTheTiesAnswers) {
  sweep();
  change_template();
  const auto found = refreshed({{"fast", "gemv:drop_last@5"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome, RefreshOutcome::another) << found[0].why;
  EXPECT_EQ(kind(found[0].config), "near");
  EXPECT_EQ(found[0].why.rfind("wrong result", 0), 0U) << found[0].why;
  EXPECT_EQ(answer(), "near");
}

TEST_F(RefreshTest, TheDefaultIsNeverLostTo) {
  sweep();
  change_template();
  const auto found = refreshed({{"fast", "gemv@9"}, {"near", "gemv@9.1"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome, RefreshOutcome::unconfirmed);
  EXPECT_EQ(found[0].why.rfind("the default is better: the winner is 12.", 0), 0U) << found[0].why;
  EXPECT_EQ(answer(), "default_one");
}

TEST_F(RefreshTest, WhereNothingIsRightTheAnswerStands) {
  sweep();
  change_template();
  const Images broken{
      {"fast", "gemv:drop_last@5"}, {"near", "gemv:drop_last@5.1"}, {"default_one", "gemv:drop_last@8"}};
  for (int times = 0; times < 2; ++times) {
    const auto found = refreshed(broken);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].outcome, RefreshOutcome::unconfirmed);
    EXPECT_EQ(found[0].why.rfind("wrong result", 0), 0U) << found[0].why;
    EXPECT_EQ(answer(), "fast");
    EXPECT_EQ(known_kinds().size(), 6U);
  }
  EXPECT_EQ(plan().rows.size(), 1U);
}

TEST_F(RefreshTest, WhatIsForbiddenOrIllegalIsLeftOut) {
  sweep();
  store::Forbid forbid;
  forbid.params.params = {{"kind", Name{"fast"}}};
  forbid.layer = "project";
  forbid.why = "not steady";
  overrules_.forbids = {forbid};
  change_template();
  const auto found = refreshed({{"near", "gemv@5.1"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome, RefreshOutcome::another) << found[0].why;
  EXPECT_EQ(kind(found[0].config), "near");
  change_manifest("\"M < 100000\"", "\"kind != near\", \"kind != fast\"");
  const auto illegal = refreshed();
  ASSERT_EQ(illegal.size(), 1U);
  EXPECT_EQ(illegal[0].outcome, RefreshOutcome::unconfirmed);
  EXPECT_EQ(illegal[0].why, "it is not legal any more: kind != near is false");
  EXPECT_EQ(answer(), "near");
}

TEST_F(RefreshTest, APinRunsBesideThem) {
  sweep();
  store::Pin pin;
  pin.problem = planned({}).problem;
  pin.config.params = {{"kind", Name{"close"}}, {"block_size", std::int64_t{32}}};
  overrules_.pins = {pin};
  change_template();
  ASSERT_EQ(plan().rows.at(0).beside.size(), 2U);
  const auto found = refreshed({{"fast", "gemv@5.5"}, {"near", "gemv@5.6"}});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome, RefreshOutcome::unconfirmed);
  EXPECT_EQ(found[0].why.rfind("the pinned configuration is better", 0), 0U) << found[0].why;
}

TEST_F(RefreshTest, TheTimeIsUpAndOneIsLeft) {
  sweep();
  change_template();
  EXPECT_TRUE(refreshed({}, 1e-9).empty());
  EXPECT_EQ(done_.left, 1);
  EXPECT_FALSE(done_.interrupted);
  EXPECT_EQ(plan().rows.size(), 1U);
}

TEST_F(RefreshTest, AStopEndsItAndIsSaid) {
  sweep();
  change_template();
  stop_ = [] { return true; };
  EXPECT_TRUE(refreshed().empty());
  EXPECT_EQ(done_.left, 1);
  EXPECT_TRUE(done_.interrupted);
  EXPECT_EQ(runs(), 1);
}

TEST_F(RefreshTest, TheOldestComesFirstAndTheBestLayerAnswers) {
  sweep();
  change_template();
  plan();
  std::vector<store::Entry> entries(4, layers_.back().entries().at(0));
  entries[1].result.problem = spec::make_problem(kernel_, {16, 64}, {}, "");
  entries[1].tuned_at = "2020-01-01T00:00:00Z";
  entries[1].shared_gpu = true;
  entries[2].layer = "shipped";
  entries[2].result.problem = entries[1].result.problem;
  entries[2].tuned_at = "2021-01-01T00:00:00Z";
  entries[3].layer = "site";
  RefreshQuestion question;
  question.gpu = session().facts.gpu;
  question.compiler = [](const spec::KernelSpec&) { return ""; };
  const RefreshPlan planned_rows = plan_refresh(entries, catalog_, {}, question);
  ASSERT_EQ(planned_rows.rows.size(), 2U);
  EXPECT_EQ(planned_rows.rows[0].entry, &entries[2]);
  EXPECT_EQ(planned_rows.rows[1].entry, &entries[0]);
  question.shapes = {{16, 64}};
  EXPECT_EQ(plan_refresh(entries, catalog_, {}, question).rows.size(), 1U);
  question.shapes.clear();
  question.regime = "dependent";
  EXPECT_EQ(plan_refresh(entries, catalog_, {}, question).known, 0);
  question.regime.clear();
  EXPECT_EQ(plan_refresh(entries, spec::Catalog(), {}, question).unknown, 2);
  question.gpu.name = "Another GPU";
  EXPECT_EQ(plan_refresh(entries, catalog_, {}, question).known, 0);
}

TEST_F(RefreshTest, WhatAnswersNeighboursRunsAndItsLossesStay) {
  sweep();
  {
    store::Store store = database();
    ProblemResult result = *store.result(session().gpu(), planned({}).problem, "plain");
    for (const Trial& trial : store.trials(session().gpu(), planned({}).problem, "plain"))
      if (kind(trial.config) == "close") result.traveller = trial.id;
    result.expected_loss = 0.03;
    result.default_loss = 0.4;
    result.worst_loss = 0;
    result.loss_neighbours = 5;
    store.save_result(store.run_of_trial(result.winner)->id, result);
  }
  change_template();
  ASSERT_EQ(plan().rows.at(0).beside.size(), 2U);
  refreshed({{"fast", "gemv@5.1"}, {"near", "gemv@5.15"}});
  const auto result = database().result(session().gpu(), planned({}).problem, "plain");
  EXPECT_EQ(result->search, refresh_search);
  ASSERT_NE(result->traveller, 0);
  EXPECT_EQ(kind(database().trial(result->traveller)->config), "close");
  EXPECT_EQ(result->expected_loss, 0.03);
  EXPECT_EQ(result->loss_neighbours, 5);
}

TEST_F(RefreshTest, ARowOfAFileIsTakenIn) {
  sweep();
  fs::create_directories(folder_ / "project");
  write("project/gpu.json", store::write_results(store::export_results(database())));
  for (const char* file : {"t.db", "t.db-wal", "t.db-shm"}) fs::remove(folder_ / file);
  change_template();
  ASSERT_EQ(plan().rows.size(), 1U);
  EXPECT_EQ(plan().rows[0].entry->layer, "project");
  EXPECT_TRUE(answer().empty());
  const auto found = refreshed();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome, RefreshOutcome::same_binary);
  EXPECT_EQ(answer(), "fast");
  EXPECT_TRUE(plan().rows.empty());
  write("fake.cu", "extern \"C\" __global__ void gemv() { int changed_again; }\n");
  const auto again = refreshed({{"fast", "gemv@5.1"}, {"near", "gemv@5.3"}});
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].outcome, RefreshOutcome::confirmed) << again[0].why;
}

TEST_F(RefreshTest, ASweepThatAFileSaysWasWholeStaysSo) {
  sweep({"fast", "near", "default_one", "slow"});
  std::vector<store::Entry> rows = store::export_results(database());
  fs::create_directories(folder_ / "project");
  rows.at(0).result.candidates = 6;
  write("project/gpu.json", store::write_results(rows));
  for (const char* file : {"t.db", "t.db-wal", "t.db-shm"}) fs::remove(folder_ / file);
  again_ = true;
  const auto found = refreshed();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].outcome, RefreshOutcome::confirmed) << found[0].why;
  EXPECT_TRUE(is_finished(planned({"fast", "near", "close", "default_one", "slow", "wrong"}), "plain", session().gpu(),
                          false, {}, database()));
}

}  // namespace
}  // namespace tuner::tune
