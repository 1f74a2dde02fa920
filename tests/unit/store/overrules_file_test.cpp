#include "store/overrules_file.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "store/results_file.h"
#include "unit/store/fixtures.h"

namespace tuner::store::test {
namespace {

Pin pin(std::int64_t rows, const std::string& why) {
  Pin pin;
  pin.problem = gemv(rows, 4096);
  pin.config = config_of("vec", 64);
  pin.why = why;
  pin.made_at = "2026-11-30T10:00:00Z";
  return pin;
}

Overrules some() {
  Overrules overrules;
  put(overrules, pin(8192, "b"));
  put(overrules, pin(4096, "a \"quoted\", twice"));
  Forbid forbid;
  forbid.gpu = "H200";
  forbid.params = config_of("warp", 32);
  forbid.why = "c";
  forbid.made_at = "2026-11-30T10:00:00Z";
  put(overrules, forbid);
  return overrules;
}

TEST(OverrulesFile, StandsInAFixedOrder) {
  EXPECT_EQ(write_overrules(some()), R"({
 "tuner": 1,
 "pins": [
  {"kernel": "gemv_f16", "shape": [4096, 4096], "facts": {"batch": 1, "row_stride": 4096, "y": "f16"}, "regime": "plain", "gpu": null, "params": {"variant": "vec", "block_size": 64}, "why": "a \"quoted\", twice", "unverified": false, "made_at": "2026-11-30T10:00:00Z"},
  {"kernel": "gemv_f16", "shape": [8192, 4096], "facts": {"batch": 1, "row_stride": 4096, "y": "f16"}, "regime": "plain", "gpu": null, "params": {"variant": "vec", "block_size": 64}, "why": "b", "unverified": false, "made_at": "2026-11-30T10:00:00Z"}
 ],
 "forbids": [
  {"kernel": null, "gpu": "H200", "params": {"variant": "warp", "block_size": 32}, "why": "c", "made_at": "2026-11-30T10:00:00Z"}
 ]
}
)");
  EXPECT_EQ(write_overrules({}), "{\n \"tuner\": 1,\n \"pins\": [],\n \"forbids\": []\n}\n");
}

TEST(OverrulesFile, ReadsBackWhatItWrote) {
  const ScratchFolder folder;
  EXPECT_TRUE(read_overrules(folder.file("absent.json")).pins.empty());
  write_file(folder.file("o.json"), write_overrules(some()));
  const Overrules read = read_overrules(folder.file("o.json"));
  EXPECT_EQ(write_overrules(read), write_overrules(some()));
  ASSERT_EQ(read.pins.size(), 2U);
  EXPECT_EQ(read.pins[0].problem, gemv(4096, 4096));
  EXPECT_EQ(read.pins[0].source, folder.file("o.json"));
  EXPECT_EQ(read_folder_file(folder.file("o.json")).overrules.forbids.size(), 1U);
}

TEST(OverrulesFile, OneEntryAPlace) {
  Overrules overrules = some();
  Pin other = pin(4096, "newer");
  put(overrules, other);
  EXPECT_EQ(overrules.pins.size(), 2U) << "every GPU is one place";
  other.gpu = "H200";
  put(overrules, other);
  other.gpu = "h200";  // the case does not count
  put(overrules, other);
  EXPECT_EQ(overrules.pins.size(), 3U);
  Forbid forbid = overrules.forbids[0];
  std::swap(forbid.params.params[0], forbid.params.params[1]);
  put(overrules, forbid);
  EXPECT_EQ(overrules.forbids.size(), 1U);
  forbid.kernel = "gemv_f16";
  put(overrules, forbid);
  EXPECT_EQ(overrules.forbids.size(), 2U);
}

// What reading says of the text with one change in it.
std::string refusal(const std::string& from, const std::string& to) {
  const ScratchFolder folder;
  std::string text = write_overrules(some());
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  write_file(folder.file("o.json"), text.replace(at, from.size(), to));
  try {
    read_overrules(folder.file("o.json"));
  } catch (const UserError& error) {
    EXPECT_FALSE(error.hint().empty());
    return std::string(error.what()) + " @" + error.where().substr(folder.file("").size());
  }
  return "";
}

TEST(OverrulesFile, RefusesWhatIsNone) {
  EXPECT_EQ(refusal("\"why\": \"b\"", "\"why\": \"\""), "it says no why @o.json, pins 2");
  EXPECT_EQ(refusal("\"shape\": [8192", "\"shape\": [0"), "a dimension is less than 1 @o.json, pins 2");
  EXPECT_EQ(refusal("{\"variant\": \"warp\", \"block_size\": 32}", "{}"), "it names no parameter @o.json, forbids 1");
  EXPECT_EQ(refusal("\"regime\"", "\"regim\""), "'regime' is missing @o.json, pins 1");
  EXPECT_EQ(refusal("\"why\": \"c\"", "\"why\": 3"), "'why' is not a text @o.json, forbids 1");
  EXPECT_EQ(refusal("\"kernel\": null", "\"kernel\": [1]"), "'kernel' is not a text @o.json, forbids 1");
  EXPECT_EQ(refusal("\"shape\": [8192, 4096]", "\"shape\": \"8192x4096\""),
            "'shape' is not a list of whole numbers @o.json, pins 2");
  EXPECT_EQ(refusal("\"unverified\": false", "\"unverified\": 0"), "'unverified' is not true or false @o.json, pins 1");
  EXPECT_EQ(refusal("\"forbids\": [", "\"forbids\": 1, \"x\": ["), "'forbids' is not a list @o.json");
  EXPECT_EQ(refusal("2026-11-30T10", "yesterday"),
            "'made_at' is 'yesterday:00:00Z', not a time such as 2026-11-30T10:00:00Z @o.json, pins 1");
  EXPECT_NE(refusal("\"shape\": [8192", "\"shape\": [9223372036854775807").find("2^63"), std::string::npos);
  EXPECT_THROW(parse_overrules(std::string(100000, '['), "o.json"), UserError);
  EXPECT_NE(refusal("\"tuner\": 1", "\"tuner\": 2").find("was written by a newer tuner"), std::string::npos);
  EXPECT_NE(refusal("\"tuner\": 1,", "").find("is not a file of pins and forbids"), std::string::npos);
  EXPECT_NE(refusal("\"pins\"", "\"results\": [], \"pins\"").find("holds results"), std::string::npos);
}

TEST(OverrulesFile, AFolderIsRefusedForADamagedOneAlone) {
  const ScratchFolder folder;
  write_file(folder.file("broken.json"), "{\"tuner\": 1, \"results\": [");  // forbids nothing
  write_file(folder.file("o.json"), write_overrules(some()));
  EXPECT_NO_THROW(check_overrules(folder.file("")));
  EXPECT_NO_THROW(check_overrules(folder.file("absent")));
  std::string text = write_overrules(some());
  write_file(folder.file("o.json"), text.substr(0, text.size() - 9));
  EXPECT_THROW(check_overrules(folder.file("")), UserError);
  write_file(folder.file("o.json"), "");
  EXPECT_NO_THROW(check_overrules(folder.file("")));
  std::filesystem::create_directory(folder.file("folder.json"));
  EXPECT_NO_THROW(check_overrules(folder.file("")));
  std::filesystem::create_symlink("nowhere", folder.file("link.json"));
  EXPECT_THROW(check_overrules(folder.file("")), MachineError);
  std::filesystem::remove(folder.file("link.json"));
  write_file(folder.file("overrules.json"), "");
  try {
    check_overrules(folder.file(""));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("what '" + folder.file("overrules.json") + "' forbids", 0), 0U);
    EXPECT_FALSE(error.hint().empty());
  }
}

}  // namespace
}  // namespace tuner::store::test
