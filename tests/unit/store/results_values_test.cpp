// Every field of a results file with another type, below zero, too large, and absent: refused with file and place.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "store/results_file.h"
#include "unit/store/fixtures.h"

namespace tuner::store::test {
namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

// One shipped result with a memset among its steps.
Json good() {
  auto entries = read_results(std::string(TUNER_SOURCE_DIR) + "/db/nvidia_h200.json");
  const auto other = [](const Entry& entry) { return entry.result.problem.kernel != "gemv_bf16"; };
  entries.erase(std::remove_if(entries.begin(), entries.end(), other), entries.end());
  entries.resize(1);
  Step clear;
  clear.kind = Step::Kind::memset;
  clear.argument = "y";
  entries[0].trials.at(0).steps.push_back(clear);
  return Json::parse(write_results(entries));
}

enum class Outcome { accepted, refused };
// Anything but a UserError that names the file fails.
Outcome read(const std::string& text, const std::string& what) {
  try {
    parse_results(text, "x.json");
    return Outcome::accepted;
  } catch (const UserError& error) {
    EXPECT_EQ(error.where().rfind("x.json", 0), 0U) << what << ": " << error.what() << " (" << error.where() << ")";
    EXPECT_FALSE(error.hint().empty()) << what;
    EXPECT_EQ(std::string(error.what()).find("json.exception"), std::string::npos) << what << error.what();
    return Outcome::refused;
  }
}

// Fields, the first of each list standing for all of it.
void each_field(const Json& json, const Pointer& at, const std::function<void(const Pointer&, const Json&)>& visit) {
  if (!at.empty()) visit(at, json);
  if (json.is_object())
    for (const auto& [key, value] : json.items()) each_field(value, at / key, visit);
  if (json.is_array() && !json.empty()) each_field(json[0], at / 0, visit);
}

bool inside(const Pointer& at, const char* key) { return at.to_string().find(key) != std::string::npos; }

// Names and values of a kernel's own, which its manifest judges when they would answer.
bool is_kernels_own(const Pointer& at) { return inside(at, "/params/") || inside(at, "/facts/"); }

std::string with(const Json& json, const Pointer& at, const Json& value) {
  Json changed = json;
  changed[at] = value;
  return changed.dump();
}

TEST(ResultsValues, TheUnchangedIsAccepted) { EXPECT_EQ(read(good().dump(), "unchanged"), Outcome::accepted); }

TEST(ResultsValues, AnotherTypeIsRefused) {
  const Json json = good();
  int fields = 0;
  each_field(json, Pointer(), [&](const Pointer& at, const Json& value) {
    ++fields;
    const std::string name = at.to_string();
    const Json other = value.is_object() || value.is_array() ? Json(7) : Json::object();
    EXPECT_EQ(read(with(json, at, other), name), Outcome::refused) << name;
    if (is_kernels_own(at)) return;
    std::vector<Json> others;
    if (value.is_string() || value.is_boolean() || value.is_number_integer()) others.push_back(1.5);
    if (value.is_number() || value.is_boolean()) others.push_back("sm_90");
    if (value.is_number()) others.push_back(true);
    for (const Json& one : others) EXPECT_EQ(read(with(json, at, one), name), Outcome::refused) << name << " " << one;
  });
  EXPECT_GT(fields, 90);
}

TEST(ResultsValues, LessThanZeroIsRefused) {
  const Json json = good();
  each_field(json, Pointer(), [&](const Pointer& at, const Json& value) {
    if (!value.is_number() || is_kernels_own(at)) return;
    for (const Json& less : {Json(-1), Json(-9000000000), Json(-2.5)})
      EXPECT_EQ(read(with(json, at, less), at.to_string()), Outcome::refused) << at.to_string();
  });
}

TEST(ResultsValues, WhatDoesNotFitIsRefused) {
  const Json json = good();
  each_field(json, Pointer(), [&](const Pointer& at, const Json& value) {
    if (!value.is_number()) return;
    const std::string name = at.to_string();
    for (const char* huge : {"1e999", "-1e999", "18446744073709551615", "99999999999999999999"}) {
      const bool may_be_large = value.is_number_float() && std::string(huge).find('e') == std::string::npos;
      if (may_be_large) continue;
      std::string text = with(json, at, "HUGE");
      text.replace(text.find("\"HUGE\""), 6, huge);
      EXPECT_EQ(read(text, name), Outcome::refused) << name << " " << huge;
    }
  });
}

TEST(ResultsValues, WhatIsMissingIsRefused) {
  const Json json = good();
  each_field(json, Pointer(), [&](const Pointer& at, const Json&) {
    // Those that older files lack, and limits that are unknown of an architecture.
    const std::set<std::string> optional{"/results/0/hashes"};
    const std::set<std::string> identity{"/gpu/name", "/gpu/arch", "/gpu/sm_count", "/gpu/memory_bytes",
                                         "/gpu/mig_profile"};
    const std::string name = at.to_string();
    const bool is_limit = inside(at, "/gpu/") && identity.count(name) == 0;
    Json changed = json;
    Json& parent = changed[at.parent_pointer()];
    if (!parent.is_object() || is_kernels_own(at) || is_limit || optional.count(name) > 0) return;
    parent.erase(at.back());
    EXPECT_EQ(read(changed.dump(), name), Outcome::refused) << name;
  });
}

TEST(ResultsValues, WhatNoSweepGivesIsRefused) {
  const Json json = good();
  const auto result = Pointer("/results/0");
  const std::vector<std::pair<Pointer, Json>> cases{
      {Pointer("/gpu/warp_size"), 0},
      {Pointer("/gpu/arch"), "sm_90"},
      {result / "run" / "tuned_at", "yesterday"},
      {result / "run" / "tuned_at", "2026-13-30T08:30:58Z"},
      {result / "run" / "policy", 0},
      {result / "shape", Json::array()},
      {result / "shape", {4294967296, 4294967296}},
      {result / "traveller", 99},
      {result / "traveller", nullptr},
      {result / "losses" / "neighbours", 0},
      {result / "work" / "bytes_read", 1e9},
      {result / "ceiling" / "sustained_gb_per_s", 500.0},
      {result / "ceiling" / "best_gb_per_s", 500.0},
      {result / "ceiling" / "probe_us", 3.0},
      {result / "ceiling" / "from", "guess"},
      {result / "trials" / 0 / "max_err_over_bound", 1.5},
      {result / "trials" / 0 / "duplicate_of", 2},
      {result / "trials" / 0 / "steps" / 0 / "block", {0, 1, 1}},
      {result / "trials" / 0 / "steps" / 0 / "block", {1024, 1024, 1}},
      {result / "trials" / 0 / "steps" / 0 / "grid", {1, 1}},
      {result / "trials" / 0 / "samples_us" / 0, 0},
      {result / "trials" / 0 / "samples_us" / 0, 1e300},
  };
  for (const auto& [at, value] : cases)
    EXPECT_EQ(read(with(json, at, value), at.to_string()), Outcome::refused) << at.to_string() << " " << value;
}

}  // namespace
}  // namespace tuner::store::test
