// Figures of the author's own, and what configurations are ranked by.
#include <algorithm>

#include "core/suggest.h"
#include "spec/manifest_reader.h"

namespace tuner::spec {
namespace {

constexpr std::size_t kMaxMetrics = 32;

}  // namespace

void ManifestReader::metrics() {
  const auto all = root_.find("metrics");
  if (!all) return;
  for (const std::string& name : time_names()) attempt([&] { names_.add(name, Meaning::time, *all); });
  for (const auto& [key, value] : all->fields())
    if (!attempt([&, &key = key, &value = value] { metric(key, value); })) names_.assume(key.text());
  for (const auto& [name, expression] : kernel_.metrics)
    attempt([&, &name = name, &expression = expression] {
      names_.check_named(name);
      names_.check(expression, Allowed::metric("a metric"));
    });
  if (kernel_.metrics.size() > kMaxMetrics) all->fail("there are more than 32 metrics");
}

void ManifestReader::metric(const Cursor& key, const Cursor& value) {
  const std::string name = key.name();
  space::Expr expression = value.expression(space::Numbers::reals);
  names_.add_named(name, Meaning::metric, expression, key);
  kernel_.metrics.emplace_back(name, std::move(expression));
}

void ManifestReader::objective() {
  const auto body = root_.find("objective");
  if (!body) return;
  keys(*body, "objective");
  const Cursor metric = body->at("metric"), goal = body->at("goal");
  static const std::vector<std::string> kGoals = {"min", "max"};
  if (std::find(kGoals.begin(), kGoals.end(), goal.text()) == kGoals.end())
    goal.fail("unknown goal '" + goal.text() + "'", did_you_mean(goal.text(), kGoals));
  const std::string name = metric.name();
  std::vector<std::string> known;
  for (const auto& [other, expression] : kernel_.metrics) known.push_back(other);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    if (names_.is_unsure(name)) return;
    metric.fail("unknown metric '" + name + "'",
                known.empty() ? "there is no 'metrics'; without 'objective' the time is the objective"
                              : did_you_mean(name, known));
  }
  if (!names_.uses_time(name))
    metric.fail("the objective '" + name + "' does not depend on the time", "use time_us or time_s in it");
  kernel_.objective = ObjectiveSpec{name, goal.text() == "max"};
}

}  // namespace tuner::spec
