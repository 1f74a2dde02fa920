#include "store/allowed.h"

#include <gtest/gtest.h>

#include "unit/store/lookup_fixture.h"

namespace tuner::store::test {
namespace {

class Allowed : public Lookup {
 protected:
  Allowed() { put({.tied = "warp"}); }
  std::optional<Entry> without(const Config& params) {
    return allowed_part(export_results(*open()).at(0), {{.params = params, .why = "x"}});
  }
};

TEST_F(Allowed, NothingForbiddenIsTheSame) {
  const auto part = without(config_of("vec", 1));
  ASSERT_TRUE(part);
  EXPECT_EQ(write_results({*part}), write_results(export_results(*open())));
}

TEST_F(Allowed, TheNextWinsByTheRule) {
  const auto part = without({{{"variant", Name{"vec"}}}});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->trials.size(), 2U);
  EXPECT_EQ(part->result.tied, (std::vector<std::int64_t>{part->result.winner}));
  EXPECT_FALSE(disagreement(*part));
  EXPECT_EQ(write_results({*part}).find("\"vec\""), std::string::npos);
}

TEST_F(Allowed, NoFinalistNoResult) { EXPECT_FALSE(without({{{"block_size", std::int64_t{256}}}})); }

TEST_F(Allowed, AForbiddenDefaultIsNone) {
  const auto part = without({{{"variant", Name{"naive"}}}});
  ASSERT_TRUE(part);
  EXPECT_EQ(part->result.default_trial, 0);
  EXPECT_FALSE(disagreement(*part));
}

}  // namespace
}  // namespace tuner::store::test
