#include "report/profile_names.h"

#include <gtest/gtest.h>

namespace tuner::report {
namespace {

Config config(std::vector<std::pair<std::string, Value>> params) { return {std::move(params)}; }

TEST(TellingNames, AreAsShortAsTheyTell) {
  const Config vec = config({{"variant", Name{"vec"}}, {"block", std::int64_t{256}}, {"unroll", std::int64_t{2}}});
  const Config naive = config({{"variant", Name{"naive"}}, {"block", std::int64_t{64}}});
  EXPECT_EQ(telling_names({vec, naive}), (std::vector<std::string>{"variant=vec", "variant=naive"}));
  const Config small = config({{"variant", Name{"vec"}}, {"block", std::int64_t{64}}, {"unroll", std::int64_t{2}}});
  EXPECT_EQ(telling_names({vec, small}), (std::vector<std::string>{"block=256", "block=64"}));
  EXPECT_EQ(telling_names({vec, small, naive}),
            (std::vector<std::string>{"variant=vec block=256", "variant=vec block=64", "variant=naive block=64"}));
}

TEST(TellingNames, OfEqualOnesAreWhole) {
  const Config one = config({{"block", std::int64_t{64}}});
  EXPECT_EQ(telling_names({one}), std::vector<std::string>{"block=64"});
  EXPECT_EQ(telling_names({one, one}), (std::vector<std::string>{"block=64", "block=64"}));
  EXPECT_TRUE(telling_names({}).empty());
}

}  // namespace
}  // namespace tuner::report
