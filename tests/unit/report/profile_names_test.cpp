#include "report/profile_names.h"

#include <gtest/gtest.h>

namespace tuner::report {
namespace {

Config config(std::vector<std::pair<std::string, Value>> params) { return {std::move(params)}; }

using Names = std::vector<std::string>;

TEST(TellingNames, AreAsShortAsTheyTell) {
  const Config vec = config({{"variant", Name{"vec"}}, {"block", std::int64_t{256}}, {"unroll", std::int64_t{2}}});
  const Config naive = config({{"variant", Name{"naive"}}, {"block", std::int64_t{64}}});
  EXPECT_EQ(telling_names({vec, naive}).names, (Names{"vec", "naive"}));
  EXPECT_EQ(telling_names({vec, naive}).parameter, "variant");
  const Config small = config({{"variant", Name{"vec"}}, {"block", std::int64_t{64}}, {"unroll", std::int64_t{2}}});
  EXPECT_EQ(telling_names({vec, small}).names, (Names{"block=256", "block=64"}));
  EXPECT_EQ(telling_names({vec, small}).parameter, "");
  EXPECT_EQ(telling_names({vec, small, naive}).names,
            (Names{"variant=vec block=256", "variant=vec block=64", "variant=naive block=64"}));
}

TEST(TellingNames, OfEqualOnesAreWhole) {
  const Config one = config({{"variant", Name{"vec"}}});
  EXPECT_EQ(telling_names({one}).names, Names{"variant=vec"});
  EXPECT_EQ(telling_names({one, one}).names, (Names{"variant=vec", "variant=vec"}));
  EXPECT_TRUE(telling_names({}).names.empty());
}

}  // namespace
}  // namespace tuner::report
