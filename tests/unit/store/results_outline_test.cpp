// A results file in outline says what its whole says, and its damage shows no later than when it answers.
#include "store/results_outline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "store/ladder.h"
#include "store/results_file.h"
#include "unit/store/fixtures.h"
#include "unit/store/knowledge.h"

namespace tuner::store::test {
namespace {

const std::string shipped = std::string(TUNER_SOURCE_DIR) + "/db/nvidia_h200.json";

struct Said {
  std::string what, where;
  bool operator==(const Said&) const = default;
};
template <class Read>
Said said_by(Read&& read) {
  try {
    read();
  } catch (const UserError& error) {
    return {error.what(), error.where()};
  }
  return {};
}

// A few results of the shipped file, which is too long to be cut at every byte.
std::string short_text() {
  auto entries = read_results(shipped);
  entries.resize(2);
  Overrules overrules;
  Pin pin;
  pin.problem = gemv(8, 8);
  pin.config = config_of("vec", 64);
  pin.why = "a \\ and a \"quote\"]}";
  put(overrules, pin);
  return write_results(entries, overrules);
}

TEST(ResultsOutline, AgreesWithTheWholeOfEveryShippedResult) {
  const std::vector<Entry> whole = read_results(shipped);
  const ResultsOutline outline(shipped);
  EXPECT_FALSE(outline.is_whole());
  ASSERT_EQ(outline.entries().size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const Entry& brief = outline.entries()[i];
    EXPECT_TRUE(brief.trials.empty());
    EXPECT_EQ(brief.result.winner, -1);
    EXPECT_EQ(brief.result.problem, whole[i].result.problem);
    EXPECT_EQ(brief.result.regime, whole[i].result.regime);
    EXPECT_EQ(tuner::to_json(brief.gpu), tuner::to_json(whole[i].gpu));
    EXPECT_EQ(brief.emulated, whole[i].emulated);
    EXPECT_EQ(brief.shared_gpu, whole[i].shared_gpu);
    EXPECT_EQ(brief.tuned_at, whole[i].tuned_at);
    EXPECT_EQ(brief.driver, whole[i].driver);
    EXPECT_EQ(brief.nvrtc, whole[i].nvrtc);
    EXPECT_EQ(brief.source, shipped);
    EXPECT_EQ(write_results({outline.whole(i)}), write_results({whole[i]}));
  }
}

TEST(ResultsOutline, CutOffAnywhereItSaysWhatTheWholeReaderSays) {
  const std::string text = short_text();
  ASSERT_EQ(ResultsOutline("x.json", text).entries().size(), 2U);
  EXPECT_EQ(ResultsOutline("x.json", text).overrules().pins.at(0).why, "a \\ and a \"quote\"]}");
  // The last byte is a line end.
  for (std::size_t size = 0; size + 2 < text.size(); size += size < 1500 || size + 300 > text.size() ? 1 : 97) {
    const std::string part = text.substr(0, size);
    const Said whole = said_by([&] { parse_results(part, "x.json"); });
    EXPECT_NE(whole.what, "") << size;
    ASSERT_EQ(said_by([&] { ResultsOutline("x.json", part); }), whole) << size;
  }
}

// Every byte in turn is another: no crash, and what both readers refuse they refuse with the same words.
TEST(ResultsOutline, AByteOfAnotherValueIsRefusedAlike) {
  const std::string text = short_text();
  for (const char other : {'}', '"'}) {
    for (std::size_t at = 0; at < text.size(); at += 1 + at / 100) {
      std::string changed = text;
      changed[at] = other;
      const Said whole = said_by([&] { parse_results(changed, "x.json"); });
      const Said brief = said_by([&] {
        const ResultsOutline outline("x.json", changed);
        for (std::size_t i = 0; i < outline.entries().size(); ++i) outline.whole(i);
      });
      if (whole.what.empty()) {
        EXPECT_EQ(brief, whole) << at << other;
      } else {
        EXPECT_EQ(brief.where.rfind("x.json", 0), 0U) << at << other;
      }
    }
  }
}

TEST(ResultsOutline, OtherLayoutsOfTheSameAreReadInWholeOrInOutline) {
  const std::string gpu = R"("gpu": )" + tuner::to_json(gpu_named("G"));
  const ResultsOutline none("x.json", "{\"results\": [ ], \"tuner\": 1, " + gpu + "}");
  EXPECT_TRUE(none.entries().empty());
  EXPECT_EQ(said_by([&] { ResultsOutline("x.json", "{\"tuner\": 2, \"results\": [], " + gpu + "}"); }).what,
            "'x.json' was written by a newer tuner");
  EXPECT_EQ(said_by([&] { ResultsOutline("x.json", R"({"tuner": 1, "results": [], "pins": []})"); }).what,
            "'x.json' is not a results file");
  EXPECT_EQ(said_by([&] { ResultsOutline("x.json", "[]"); }).what, "'x.json' is not a results file");
  EXPECT_EQ(said_by([&] { ResultsOutline("x.json", "{\"tuner\": 1, \"results\": {}, " + gpu + "}"); }).what,
            "'results' is not a list");
  // A repeated key means its last one to the whole reader.
  EXPECT_TRUE(ResultsOutline("x.json", "{\"tuner\": 1, \"tuner\": 1, \"results\": [], " + gpu + "}").is_whole());
}

TEST(ResultsOutline, BracketsNestedDeeplyAreRefused) {
  const std::string deep(200000, '[');
  EXPECT_EQ(said_by([&] { parse_results(deep, "x.json"); }).what, "'x.json' has brackets nested over 64 deep");
  EXPECT_EQ(said_by([&] { ResultsOutline("x.json", deep); }).what, "'x.json' has brackets nested over 64 deep");
}

// A damaged result costs itself alone, when it would answer.
TEST(ResultsOutline, ADamagedResultIsLeftOutWithItsFileNamed) {
  std::string text = short_text();
  const std::size_t at = text.find("\"finalist\": true");
  text.replace(at, 16, "\"finalist\": 3   ");
  const ScratchFolder folder;
  write_file(folder.file("x.json"), text);
  Layers::Places places;
  places.project = folder.file("");
  std::vector<std::string> warnings;
  const Layers layers = Layers::open(places, warnings);
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(layers.outlines().size(), 2U);
  EXPECT_EQ(layers.entries().size(), 1U);
  ASSERT_EQ(layers.warnings().size(), 1U);
  EXPECT_NE(layers.warnings()[0].find("x.json' are left out: 'finalist' of trial 1 is not true or false"),
            std::string::npos)
      << layers.warnings()[0];
}

TEST(ResultsOutline, CostsAFractionOfTheWhole) {
  const auto fastest = [](auto&& read) {
    auto best = std::chrono::nanoseconds::max();
    for (int i = 0; i < 5; ++i) {
      const auto before = std::chrono::steady_clock::now();
      read();
      best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - before);
    }
    return best;
  };
  EXPECT_LT(fastest([] { ResultsOutline outline(shipped); }) * 3, fastest([] { read_results(shipped); }));
}

}  // namespace
}  // namespace tuner::store::test
