#include "space/space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

namespace tuner::space {
namespace {

Param param(std::string name, std::vector<Value> values, const char* when = nullptr) {
  Param p{std::move(name), std::move(values), std::nullopt};
  if (when != nullptr) p.when = Expr::parse(when);
  return p;
}

Constraint constraint(const char* text, const char* why = nullptr) {
  return {Expr::parse(text), why == nullptr ? text : why};
}

std::vector<Value> integers(std::initializer_list<std::int64_t> list) { return {list.begin(), list.end()}; }
std::vector<Value> names(std::initializer_list<const char*> list) {
  std::vector<Value> values;
  for (const char* text : list) values.emplace_back(Name{text});
  return values;
}

Space small() {
  Space space;
  space.params = {param("variant", names({"vec", "naive"})), param("block", integers({64, 128})),
                  param("unroll", integers({1, 2, 4}), "variant == vec")};
  space.constraints = {constraint("block * unroll <= 256", "too much at once")};
  return space;
}

Scope base_of(const Space& space) {
  Scope scope;
  scope.set("M", std::int64_t{4096});
  for (const Param& p : space.params)
    for (const Value& v : p.values)
      if (const auto* name = std::get_if<Name>(&v)) scope.set(name->text, v);
  return scope;
}

std::vector<std::string> labels(const std::vector<Config>& configs) {
  std::vector<std::string> list;
  for (const Config& c : configs) list.push_back(c.label());
  return list;
}

TEST(Space, AllInManifestOrder) {
  const Space space = small();
  EXPECT_EQ(labels(space.all(base_of(space))),
            (std::vector<std::string>{"variant=vec block=64 unroll=1", "variant=vec block=64 unroll=2",
                                      "variant=vec block=64 unroll=4", "variant=vec block=128 unroll=1",
                                      "variant=vec block=128 unroll=2", "variant=naive block=64",
                                      "variant=naive block=128"}));
}

TEST(Space, Restricted) {
  const Space space = small();
  EXPECT_EQ(labels(space.all(base_of(space), {{"unroll", integers({4, 2})}, {"block", integers({128})}})),
            (std::vector<std::string>{"variant=vec block=128 unroll=2", "variant=naive block=128"}));
  EXPECT_TRUE(space.all(base_of(space), {{"block", integers({999})}}).empty());
  try {
    (void)space.all(base_of(space), {{"unrol", integers({1})}});
    FAIL();
  } catch (const UserError& fault) {
    EXPECT_STREQ(fault.what(), "unknown parameter 'unrol'");
    EXPECT_EQ(fault.hint(), "did you mean 'unroll'?");
  }
}

TEST(Space, VisitorStops) {
  const Space space = small();
  int seen = 0;
  space.for_each(base_of(space), {}, [&](const Config&) { return ++seen < 3; });
  EXPECT_EQ(seen, 3);
}

TEST(Space, NoParameters) {
  Space space;
  EXPECT_EQ(space.all(Scope{}).size(), 1U);
  space.constraints = {constraint("1 == 2")};
  EXPECT_TRUE(space.all(Scope{}).empty());
  EXPECT_EQ(space.exclusions(Scope{}).at("1 == 2"), 1);
}

TEST(Space, ExclusionsCountEveryConfigurationCutOff) {
  Space space = small();
  EXPECT_EQ(space.exclusions(base_of(space)), (std::map<std::string, std::int64_t>{{"block * unroll <= 256", 1}}));
  space.constraints.push_back(constraint("variant == naive"));
  space.constraints.push_back(constraint("M < 0"));
  const auto counts = space.exclusions(base_of(space));
  EXPECT_EQ(counts.at("M < 0"), 8);  // asked before any parameter is bound
  space.constraints.pop_back();
  EXPECT_EQ(space.exclusions(base_of(space)).at("variant == naive"), 6);
}

TEST(Space, WhyIllegal) {
  const Space space = small();
  const Scope base = base_of(space);
  const auto why = [&](std::vector<std::pair<std::string, Value>> params) {
    return space.why_illegal(base, Config{std::move(params)}).value_or("legal");
  };
  const Value vec = Name{"vec"};
  const Value naive = Name{"naive"};
  const Value b64 = std::int64_t{64};
  const Value b128 = std::int64_t{128};
  EXPECT_EQ(why({{"variant", naive}, {"block", b64}}), "legal");
  EXPECT_EQ(why({{"variant", vec}, {"block", b64}}), "'unroll' has no value");
  EXPECT_EQ(why({{"variant", naive}, {"block", b64}, {"unroll", std::int64_t{1}}}),
            "'unroll' is inactive here: variant == vec is false");
  EXPECT_EQ(why({{"variant", naive}, {"block", std::int64_t{65}}}),
            "'65' is not a value of 'block'; did you mean '64'?");
  EXPECT_EQ(why({{"variant", vec}, {"block", b128}, {"unroll", std::int64_t{4}}}),
            "too much at once (block * unroll <= 256)");
  EXPECT_EQ(why({{"variant", naive}, {"block", b64}, {"other", b64}}), "'other' is not a parameter of this kernel");
  for (const Config& config : space.all(base)) EXPECT_EQ(space.why_illegal(base, config), std::nullopt);
}

TEST(Space, Complete) {
  const Space space = small();
  const Scope base = base_of(space);
  const auto complete = [&](const Partial& wanted) {
    const auto config = space.complete(base, wanted);
    return config ? config->label() : "none";
  };
  EXPECT_EQ(complete({}), "variant=vec block=64 unroll=1");
  EXPECT_EQ(complete({{"block", integers({128})}}), "variant=vec block=128 unroll=1");
  EXPECT_EQ(complete({{"variant", names({"naive"})}}), "variant=naive block=64");
  EXPECT_EQ(complete({{"block", integers({128})}, {"unroll", integers({4})}}), "none");
  EXPECT_EQ(complete({{"variant", names({"naive"})}, {"unroll", integers({4})}}), "none");
}

TEST(Space, FaultsOfConstraintsAreErrors) {
  Space space = small();
  space.constraints.push_back(constraint("M // (block - 64) > 0"));
  EXPECT_THROW((void)space.all(base_of(space)), ExprError);
  space = small();
  space.params.push_back(param("late", integers({1}), "unroll == 2"));
  EXPECT_THROW((void)space.all(base_of(space)), InactiveError);
}

TEST(Space, ScopeOf) {
  const Space space = small();
  const Scope scope = space.scope_of(base_of(space), space.all(base_of(space)).back());
  EXPECT_EQ(scope.find("block", 1), Value{std::int64_t{128}});
  EXPECT_TRUE(scope.is_inactive("unroll"));
}

// Of this process's processors, whatever else runs there.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr double slower = 4;
#else
constexpr double slower = 1;
#endif

// 5 x 10^7 raw points: only cutting off subtrees makes this quick. The limit is generous for slow machines.
TEST(Space, PrunesEarly) {
  Space space;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"})
    space.params.push_back(param(name, integers({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})));
  space.constraints = {constraint("a == b"), constraint("b == c"), constraint("c == d"), constraint("d + e <= 3"),
                       constraint("f == g")};
  const double begin = cpu_seconds();
  EXPECT_EQ(space.all(Scope{}).size(), 300U);
  EXPECT_LT(cpu_seconds() - begin, 0.5 * slower);
}

TEST(Space, EnumeratesAMillionPointsQuickly) {
  Space space;
  for (const char* name : {"a", "b", "c", "d", "e", "f"})
    space.params.push_back(param(name, integers({1, 2, 3, 4, 5, 6, 7, 8, 9, 10})));
  space.constraints = {constraint("a * b * c * d * e * f % 7 == 1 && f > 8")};
  const double begin = cpu_seconds();
  EXPECT_FALSE(space.all(Scope{}).empty());
  EXPECT_LT(cpu_seconds() - begin, 5 * slower);
}

}  // namespace
}  // namespace tuner::space
