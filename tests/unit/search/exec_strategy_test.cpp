// Programs that search, and all that they may do wrong.
#include "search/exec_strategy.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "unit/search/domains.h"

namespace tuner::search::test {
namespace {

// A shell script that answers the n-th question with its n-th line, and writes what it is told to standard error.
std::vector<std::string> answering(const std::vector<std::string>& lines, const std::string& then = "exit 0") {
  std::string script = "read -r hello; n=0; while read -r line; do case $line in *ask*) n=$((n+1)); case $n in ";
  for (std::size_t i = 0; i < lines.size(); ++i)
    script += std::to_string(i + 1) + ") printf '%s\\n' '" + lines[i] + "';; ";
  return {"sh", "-c", script + "*) " + then + ";; esac;; esac; done"};
}

class ExecStrategy : public testing::Test {
 protected:
  std::unique_ptr<Strategy> start(std::vector<std::string> command, int answer_ms = 20000) {
    ExecOptions options;
    options.command = std::move(command);
    options.about = R"({"kernel":"k"})";
    options.answer = std::chrono::milliseconds(answer_ms);
    options.why_illegal = [](const Config&) { return std::string("size is too large"); };
    return make_exec_strategy(domain_, 1, options);
  }
  std::string fault_of(std::vector<std::string> command, int answer_ms = 20000) {
    try {
      const auto strategy = start(std::move(command), answer_ms);
      for (int i = 0; i < 3; ++i)
        for (const Point& point : strategy->ask(4)) strategy->tell({{point, 1.0}});
    } catch (const UserError& fault) {
      EXPECT_NE(fault.where(), "");
      EXPECT_NE(fault.hint(), "");
      return fault.what();
    }
    return "none";
  }

  ListedDomain domain_{sample_axes(), sample_points()};
};

constexpr const char* good = R"({"try": [{"kind":"plain","size":64,"rows":3}]})";

TEST_F(ExecStrategy, IsAskedAndTold) {
  const auto strategy =
      start(answering({R"({"try": [{"kind":"plain","size":64,"rows":3},{"kind":"wide","size":32,"rows":1,"width":8}]})",
                       R"({"try":[]})"}));
  strategy->tell({{{0, 0, 0, inactive}, 1.0}});
  const auto asked = strategy->ask(4);
  EXPECT_EQ(asked, (std::vector<Point>{{0, 1, 2, inactive}, {1, 0, 0, 3}}));
  strategy->tell({{asked[0], 1.5}, {asked[1]}});
  EXPECT_TRUE(strategy->ask(4).empty());
}

// What it is told comes back as what it tries next: a program that reads the protocol.
TEST_F(ExecStrategy, ReadsWhatTheProtocolSays) {
  const std::string script =
      "read -r hello; read -r told; read -r ask; case \"$hello $told $ask\" in "
      R"('{"tuner":1,"problem":{"kernel":"k"},"parameters":[{"name":"kind","values":["plain","wide"]},'*'"seed":1,"trials":0} )"
      R"({"tell":[{"config":{"kind":"plain","size":32,"rows":1},"ratio":1.25}]} {"ask":4}') )"
      R"(echo '{"try":[{"kind":"plain","size":64,"rows":3}]}';; *) echo "$hello $told $ask" >&2;; esac; read -r rest)";
  const auto strategy = start({"sh", "-c", script});
  strategy->tell({{{0, 0, 0, inactive}, 1.25}});
  EXPECT_EQ(strategy->ask(4).size(), 1U);
}

TEST_F(ExecStrategy, IsToldWhyAConfigurationIsNotRun) {
  // The second answer is what it was told before; the program sends it back so that it shows as no JSON of ours.
  const std::string script =
      "read -r hello; read -r ask; echo '{\"try\":[{\"kind\":\"wide\",\"size\":512,\"rows\":8,\"width\":1},"
      "{\"size\":64}, {\"kind\":\"plain\",\"size\":64,\"rows\":3}]}'; read -r told; read -r ask; printf '%s\\n' "
      "\"$told\"; read -r x";
  const auto strategy = start({"sh", "-c", script});
  ASSERT_EQ(strategy->ask(4).size(), 1U);
  strategy->tell({{{0, 1, 2, inactive}, 1.0}});
  try {
    strategy->ask(4);
    FAIL();
  } catch (const UserError& fault) {
    EXPECT_NE(
        std::string(fault.what()).find("did not say what to try in line 2: {\"tell\":[{\"config\":{\"kind\":\"plain\""),
        std::string::npos)
        << fault.what();
  }
}

TEST_F(ExecStrategy, MayErrNowAndThen) {
  const auto strategy = start(answering({R"({"try": [{"kind":"other"}]})", good, good, R"({"try": []})"}));
  EXPECT_EQ(strategy->ask(4).size(), 1U) << "what is illegal is answered, and it is asked again";
  strategy->tell({{{0, 1, 2, inactive}, 1.0}});
  EXPECT_TRUE(strategy->ask(4).empty()) << "so is what was tried before";
}

TEST_F(ExecStrategy, SaysWhatIsWrongWithAnAnswer) {
  EXPECT_EQ(fault_of(answering({"hello"})), "the search program printed no JSON in line 1: hello");
  EXPECT_EQ(fault_of(answering({"{\"try\": 3}"})),
            "the search program did not say what to try in line 1: {\"try\": 3}");
  EXPECT_EQ(fault_of(answering({"[]"})), "the search program did not say what to try in line 1: []");
  EXPECT_EQ(fault_of(answering({"{\"try\": [3]}"})),
            "the search program gave something else than configurations in line 1: {\"try\": [3]}");
  EXPECT_EQ(fault_of(answering({R"({"try": [{},{},{},{},{}]})"})),
            "the search program gave 5 configurations where 4 were asked for");
}

TEST_F(ExecStrategy, SaysThatItEndedOrHangs) {
  EXPECT_EQ(fault_of(answering({good}, "exit 3")), "the search program has ended, exit 3, before the search was over");
  EXPECT_EQ(fault_of({"sh", "-c", "kill -9 $$"}),
            "the search program has ended, signal 9 (killed), before the search was over");
  EXPECT_EQ(fault_of({"sh", "-c", "sleep 30"}, 300), "the search program did not answer within 0.3 s");
  EXPECT_EQ(fault_of({"sh", "-c", "read -r hello; printf '{\"try\"'; sleep 30"}, 300),
            "the search program did not answer within 0.3 s");
  EXPECT_NE(fault_of({"/nowhere/search"}).find("cannot be started"), std::string::npos);
}

TEST_F(ExecStrategy, DoesNotTurnInCircles) {
  const std::vector<std::string> same{
      "sh", "-c", "while read -r line; do case $line in *ask*) echo '{\"try\": [{\"kind\":\"other\"}]}';; esac; done"};
  EXPECT_EQ(fault_of(same), "the search program asked 100 times in a row for nothing that is legal and new");
}

TEST_F(ExecStrategy, StopsWhenItIsAskedTo) {
  ExecOptions options;
  options.command = {"sh", "-c", "sleep 30"};
  options.stop = [] { return true; };
  EXPECT_THROW(make_exec_strategy(domain_, 1, options)->ask(1), Interrupted);
}

}  // namespace
}  // namespace tuner::search::test
