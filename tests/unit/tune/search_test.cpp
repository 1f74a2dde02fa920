// A space that is searched, against a fake device in a real worker process.
#include <cmath>

#include "tune/finished.h"
#include "unit/tune/tune_fixture.h"

namespace tuner::tune {
namespace {

std::string searched_manifest() {
  std::string text = fake_manifest;
  const std::size_t kinds = text.find("  kind: [");
  text.replace(kinds, text.find("]", kinds) + 1 - kinds,
               "  path: [fast, slow, other, last]\n  a: [1, 2, 3, 4, 5, 6, 7, 8]\n  b: [1, 2, 3, 4, 5, 6, 7, 8]");
  text.replace(text.find("[{kind: default_one}]"), 21, "[{path: last, a: 1, b: 1}]");
  return text + "awkward: [3x7]\n";  // enough where many are verified
}

std::int64_t number(const Config& config, const char* name) { return std::get<std::int64_t>(*config.find(name)); }

// A valley whose floor is at fast, 6, 3.
double time_of(const Config& config) {
  const std::string path = to_text(*config.find("path"));
  const auto a = static_cast<double>(number(config, "a") - 6), b = static_cast<double>(number(config, "b") - 3);
  const double of_path = path == "fast" ? 0 : path == "slow" ? 0.6 : path == "other" ? 0.2 : 0.3;
  return 5 * (1 + of_path + 0.04 * a * a + 0.03 * b * b + 0.02 * (a + b) * (a + b));
}

class SearchProblem : public TuneProblem {
 protected:
  void SetUp() override {
    TuneProblem::SetUp();
    kernel_ = spec::parse_kernel(searched_manifest(), (folder_ / "searched.yaml").string());
    planned_ = {&kernel_, spec::make_problem(kernel_, {2, 8}, {}, ""), {}};
  }

  // What is written behind "gemv" in a configuration's image, in front of its time.
  using Fault = std::function<std::string(const Config&)>;
  ProblemDone search(const std::string& strategy, std::int64_t trials, store::Store& store, const Fault& fault = {}) {
    Session here = session();
    const CandidateSet set = enumerate(planned_, here.gpu());
    const auto sources = render_all(planned_, set, here.gpu());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Config& config = set.all[i].trial.config;
      Artifact artifact = fake_artifact("gemv" + (fault ? fault(config) : "") + "@" + std::to_string(time_of(config)));
      artifact.cubin_hash = config.label();
      artifact.kernels = {{"gemv", "gemv", 32, 0, 0, 0, {}}};
      here.builder->adopt(sources[i].hash, artifact);
    }
    Searching searching;
    searching.by = search::choice_of(strategy, "");
    searching.trials = trials;
    if (late_) searching.deadline = std::chrono::steady_clock::now();
    const std::int64_t id = store.begin_run(here.facts);
    ProblemContext context{here, store, warnings_, nullptr, id, 1, 1, [] { return false; }, &overrules_, true};
    context.searching = &searching;
    ProblemDone done = tune_problem(planned_, context);
    store.end_run(id, "done");
    return done;
  }
  const Trial& winner(const ProblemDone& done) const {
    for (const Trial& trial : done.trials)
      if (trial.id == done.result.winner) return trial;
    throw std::runtime_error("no winner");
  }
  bool finished(const std::string& strategy, std::int64_t trials, const store::Store& store) {
    Searching searching;
    searching.by = search::choice_of(strategy, "");
    searching.trials = trials;
    return is_finished(planned_, "plain", session().gpu(), false, {}, store, &searching);
  }

  spec::PlannedProblem planned_;
  Overrules overrules_;
  bool late_ = false;
};

TEST_F(SearchProblem, FindsTheBestWithAFractionOfTheTrials) {
  store::Store store = database();
  const ProblemDone done = search("forest", 70, store);
  EXPECT_LE(done.trials.size(), 70U);
  EXPECT_EQ(winner(done).config.label(), "path=fast a=6 b=3 block_size=32");
  EXPECT_EQ(done.result.search, "forest");
  EXPECT_TRUE(winner(done).finalist);
  EXPECT_EQ(winner(done).rounds, 60) << "from the paired rounds, not from the search";
  int sampled = 0;
  for (const Trial& trial : done.trials) {
    EXPECT_TRUE(trial.status == Status::measured || trial.status == Status::eliminated) << to_text(trial.status);
    EXPECT_NEAR(trial.time_us, time_of(trial.config), 0.05 * trial.time_us);
    sampled += trial.rounds == 7 ? 1 : 0;
    EXPECT_TRUE(trial.finalist || !trial.is_default) << "the default is never lost to";
  }
  EXPECT_GT(sampled, 20) << "those far behind the best do not race";
  const auto stored = store.result(session().gpu(), planned_.problem, "plain");
  ASSERT_TRUE(stored);
  EXPECT_EQ(stored->search, "forest");
  EXPECT_TRUE(finished("forest", 70, store));
  EXPECT_FALSE(finished("forest", 200, store)) << "more may be tried than were";
}

TEST_F(SearchProblem, TriesAsManyAsItMay) {
  store::Store store = database();
  EXPECT_EQ(search("random", 20, store).trials.size(), 20U);
}

// Of those whose worker dies every one is charged, and the search goes on.
TEST_F(SearchProblem, GoesOnWhereCandidatesKill) {
  store::Store store = database();
  const ProblemDone done = search("forest", 60, store, [](const Config& config) -> std::string {
    if (number(config, "a") == 7 && number(config, "b") < 4) return ":dies_timed";
    if (number(config, "a") == 5) return ":drop_last";
    return "";
  });
  int dead = 0;
  for (const Trial& trial : done.trials) {
    const bool kills = number(trial.config, "a") == 7 && number(trial.config, "b") < 4;
    const bool wrong = number(trial.config, "a") == 5;
    EXPECT_EQ(trial.status == Status::rejected, kills || wrong) << trial.config.label() << " " << trial.detail;
    dead += kills ? 1 : 0;
  }
  EXPECT_GT(dead, 0) << "or this tests nothing";
  EXPECT_EQ(winner(done).config.label(), "path=fast a=6 b=3 block_size=32");
}

TEST_F(SearchProblem, NeverTriesWhatIsForbidden) {
  store::Store store = database();
  store::Forbid forbid;
  forbid.params = config_from_json(R"({"path":"fast"})");
  overrules_.forbids.push_back(forbid);
  const ProblemDone done = search("forest", 70, store);
  for (const Trial& trial : done.trials) EXPECT_NE(to_text(*trial.config.find("path")), "fast");
  EXPECT_EQ(winner(done).config.label(), "path=other a=6 b=3 block_size=32");
}

TEST_F(SearchProblem, RacesTheWinnerSoFar) {
  store::Store store = database();
  const ProblemDone first = search("forest", 70, store);
  late_ = true;
  const ProblemDone second = search("random", 30, store);
  EXPECT_EQ(second.trials.size(), 2U) << "its time was over before it began: the default and the winner so far";
  EXPECT_EQ(winner(second).config, winner(first).config);
  EXPECT_EQ(store.result(session().gpu(), planned_.problem, "plain")->incumbent, winner(second).id);
}

TEST_F(SearchProblem, AProgramMaySearch) {
  store::Store store = database();
  const ProblemDone done = search(
      "exec:sh -c 'read -r hello; read -r told; read -r ask; echo \"{\\\"try\\\": [{\\\"path\\\": \\\"fast\\\", "
      "\\\"a\\\": 6, "
      "\\\"b\\\": 4, \\\"block_size\\\": 32}]}\"; read -r told; read -r ask; echo \"{\\\"try\\\": []}\"; read -r end'",
      30, store);
  EXPECT_EQ(done.trials.size(), 2U);
  EXPECT_EQ(winner(done).config.label(), "path=fast a=6 b=4 block_size=32");
  EXPECT_EQ(done.result.search, "exec");
}

TEST_F(SearchProblem, AProgramThatFailsEndsTheSweep) {
  store::Store store = database();
  EXPECT_THROW(search("exec:sh -c 'exit 3'", 30, store), UserError);
}

TEST_F(SearchProblem, IsAskedForOrTheSpaceIsLarge) {
  spec::SweepPlan plan;
  const GpuFacts gpu = session().gpu();
  EXPECT_FALSE(searching_of(plan, planned_, gpu)) << "256 configurations are all tried";
  plan.search = "forest";
  EXPECT_FALSE(searching_of(plan, planned_, gpu)) << "no more than it may try";
  plan.trials_budget = 255;
  ASSERT_TRUE(searching_of(plan, planned_, gpu));
  EXPECT_EQ(searching_of(plan, planned_, gpu)->trials, 255);
  plan.search = "exhaustive";
  EXPECT_FALSE(searching_of(plan, planned_, gpu));
  plan.search = "forrest";
  EXPECT_THROW(searching_of(plan, planned_, gpu), UserError);
}

}  // namespace
}  // namespace tuner::tune
