#include "cli/parse.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace tuner::cli {
namespace {

Arguments parsed(std::vector<const char*> words) {
  words.insert(words.begin(), "tuner");
  return parse(static_cast<int>(words.size()), words.data());
}

struct Failure {
  std::string what, where, hint;
};

Failure failure_of(const std::vector<const char*>& words) {
  try {
    parsed(words);
  } catch (const UserError& error) {
    return {error.what(), error.where(), error.hint()};
  }
  return {};
}

TEST(Parse, AnUnknownFlagComesBeforeAMissingOne) {
  const Failure failure = failure_of({"best", "--shpae", "4x4"});
  EXPECT_EQ(failure.what, "unknown flag '--shpae'");
  EXPECT_EQ(failure.where, "tuner best");
  EXPECT_EQ(failure.hint, "did you mean '--shape'?");
}

TEST(Parse, AnUnknownFlagComesBeforeAValueThatIsMissing) {
  EXPECT_EQ(failure_of({"best", "--bogus", "--shape"}).what, "unknown flag '--bogus'");
}

TEST(Parse, ValuesThatBeginWithADashReachTheirParser) {
  EXPECT_EQ(parsed({"best", "--shape", "-1x4"}).text("--shape"), "-1x4");
  EXPECT_EQ(parsed({"best", "--shape=-1x4"}).text("--shape"), "-1x4");
}

TEST(Parse, AFlagIsNoValue) {
  const Failure failure = failure_of({"best", "--db", "--json"});
  EXPECT_EQ(failure.what, "flag '--db' needs a value");
  EXPECT_EQ(failure_of({"best", "--shape"}).where, "tuner best");
}

TEST(Parse, OneValueAFlagEachTime) {
  const Arguments explain = parsed({"explain", "--device", "host", "variant=naive", "block_size=64"});
  EXPECT_EQ(explain.text("--device"), "host");
  EXPECT_EQ(explain.all("TRIAL"), (std::vector<std::string>{"variant=naive", "block_size=64"}));
  const Arguments sweep = parsed({"sweep", "--kernel", "a", "--kernel", "b", "--shape", "1x2", "--shape", "3x4"});
  EXPECT_EQ(sweep.all("--kernel"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(sweep.all("--shape"), (std::vector<std::string>{"1x2", "3x4"}));
}

TEST(Parse, OneValueMeansOnce) {
  const Failure failure = failure_of({"best", "--shape", "1x2", "--shape", "3x4"});
  EXPECT_EQ(failure.what, "flag '--shape' is given twice, with 1x2 and 3x4");
  EXPECT_EQ(failure.where, "tuner best");
  EXPECT_FALSE(failure.hint.empty());
  EXPECT_EQ(failure_of({"--db", "a.db", "list", "--db", "b.db"}).what,
            "flag '--db' is given twice, with a.db and b.db");
  EXPECT_TRUE(parsed({"list", "-q", "-q"}).has("--quiet"));
}

TEST(Parse, AnEmptyWordIsNoArgument) {
  EXPECT_EQ(failure_of({"sweep", ""}).what, "'FILE' is empty");
  EXPECT_EQ(failure_of({"import", "a", ""}).what, "'PATH' is empty");
}

TEST(Parse, FlagsForAllStandBeforeAndBehindTheCommand) {
  EXPECT_EQ(parsed({"--db", "a.db", "list"}).text("--db"), "a.db");
  EXPECT_EQ(parsed({"list", "--db", "a.db"}).text("--db"), "a.db");
  EXPECT_TRUE(parsed({"list", "-q"}).has("--quiet"));
}

TEST(Parse, AWordThatIsACommandCanBeAnArgument) {
  const Arguments arguments = parsed({"sweep", "best"});
  EXPECT_EQ(arguments.command->name, "sweep");
  EXPECT_EQ(arguments.text("FILE"), "best");
}

TEST(Parse, UnknownCommandsAndChoices) {
  EXPECT_EQ(failure_of({"beast"}).hint, "did you mean 'best'?");
  EXPECT_EQ(failure_of({"best", "--color", "alwys"}).hint, "did you mean 'always'?");
  EXPECT_EQ(failure_of({"best", "extra"}).what, "unexpected argument 'extra'");
}

TEST(Parse, IntegersAreDecimalAndInRange) {
  EXPECT_EQ(parsed({"best", "--top", "010"}).integer("--top", 1, 100, 1), 10);
  for (const char* text : {"0", "101", "1x", "", "0x5", "-3", "99999999999999999999"}) {
    if (*text == 0) continue;
    EXPECT_THROW(parsed({"best", "--top", text}).integer("--top", 1, 100, 1), UserError) << text;
  }
}

TEST(Parse, AssignmentsAreTyped) {
  const Facts facts = parse_assignments({"batch=4", "y=f32"}, "--set");
  EXPECT_EQ(facts[0].second, Value{std::int64_t{4}});
  EXPECT_EQ(facts[1].second, Value{Name{"f32"}});
  EXPECT_THROW(parse_assignments({"batch"}, "--set"), UserError);
  EXPECT_THROW(parse_assignments({"=4"}, "--set"), UserError);
  EXPECT_THROW(parse_assignments({"batch=4", "batch=5"}, "--set"), UserError);
  const auto what = [](const std::string& text) {
    try {
      parse_assignments({text}, "--set");
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(what("batch=9223372036854775807"), "");
  EXPECT_EQ(what("batch=9223372036854775808"), "the integer of 'batch=9223372036854775808' is too large");
  EXPECT_EQ(what("batch=-9223372036854775809"), "the integer of 'batch=-9223372036854775809' is too small");
  EXPECT_EQ(what("=99999999999999999999"), "'=99999999999999999999' is not NAME=VALUE");
}

TEST(Help, FitsEightyColumnsAndNamesEveryFlag) {
  std::vector<const Command*> all{nullptr};
  for (const Command& command : commands()) all.push_back(&command);
  for (const Command* command : all) {
    const std::string text = help_text(command);
    std::size_t column = 0;
    for (const char c : text) {
      column = c == '\n' ? 0 : column + 1;
      ASSERT_LE(column, 80U) << text;
    }
    if (!command) continue;
    for (const Flag& flag : command->flags) EXPECT_NE(text.find(flag.name), std::string::npos) << flag.name;
  }
}

}  // namespace
}  // namespace tuner::cli
