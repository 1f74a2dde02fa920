// The schemas that editors are given know the keys that the readers know, no more and no fewer.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "spec/keys.h"

namespace tuner::spec {
namespace {

void expect_same_keys(const std::string& language, const KeysOfMaps& maps) {
  std::ifstream file(TUNER_SOURCE_DIR "/schemas/" + language + ".schema.json");
  const auto schema = nlohmann::json::parse(file, nullptr, false);
  ASSERT_TRUE(schema.is_object()) << language;
  for (const auto& [map, keys] : maps) {
    const auto& object = map == language ? schema : schema["$defs"][map];
    ASSERT_TRUE(object.is_object()) << map;
    EXPECT_EQ(object.value("additionalProperties", true), false) << map;
    std::set<std::string> described;
    for (const auto& [key, value] : object["properties"].items()) described.insert(key);
    EXPECT_EQ(described, std::set<std::string>(keys.begin(), keys.end())) << map;
  }
}

TEST(Schema, KnowsTheKeysOfTheReaders) {
  expect_same_keys("manifest", manifest_keys());
  expect_same_keys("sweep", sweep_keys());
}

}  // namespace
}  // namespace tuner::spec
