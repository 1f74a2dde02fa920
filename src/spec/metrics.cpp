#include "spec/metrics.h"

#include <set>

#include "core/error.h"

namespace tuner::spec {
namespace {

void set_time(space::Scope& scope, double time_us) {
  scope.set_let("time_us", space::Expr::real_constant(time_us));
  scope.set_let("time_s", space::Expr::real_constant(time_us * 1e-6));
}

space::Scope metric_scope(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu) {
  space::Scope scope = config_scope(kernel, problem, config, gpu);
  for (const auto& [name, expression] : kernel.metrics) scope.set_let(name, expression);
  return scope;
}

}  // namespace

std::vector<Metric> metrics_of(const KernelSpec& kernel, const Problem& problem, const Config& config,
                               const GpuFacts& gpu, double time_us) {
  std::vector<Metric> metrics;
  if (kernel.metrics.empty()) return metrics;
  space::Scope scope = metric_scope(kernel, problem, config, gpu);
  set_time(scope, time_us);
  for (const auto& [name, expression] : kernel.metrics) {
    try {
      metrics.push_back({name, expression.real(scope)});
    } catch (const UserError& error) {
      metrics.push_back({name, std::nullopt, error.what()});
    }
  }
  return metrics;
}

namespace {

// Those of the manifest's named expressions that `name` is made of, each once, the first use first.
void add_named(const KernelSpec& kernel, const std::string& name, std::set<std::string>& seen, std::string& text) {
  for (const auto* list : {&kernel.metrics, &kernel.lets})
    for (const auto& [other, expression] : *list) {
      if (other != name || !seen.insert(name).second) continue;
      text += (text.empty() ? "" : ", ") + name + " = " + expression.text();
      for (const std::string& used : expression.names()) add_named(kernel, used, seen, text);
    }
}

}  // namespace

std::string objective_text(const KernelSpec& kernel) {
  if (!kernel.objective) return {};
  std::set<std::string> seen;
  std::string text;
  add_named(kernel, kernel.objective->metric, seen, text);
  return (kernel.objective->largest ? "max " : "min ") + text;
}

Cost::Cost(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu)
    : kernel_(kernel), scope_(metric_scope(kernel, problem, config, gpu)) {}

double Cost::at(double time_us) {
  set_time(scope_, time_us);
  const std::string& name = kernel_.objective->metric;
  for (const auto& [metric, expression] : kernel_.metrics) {
    if (metric != name) continue;
    const double value = expression.real(scope_);
    if (value <= 0) throw expression.error_at({}, "the objective '" + name + "' is not above 0");
    return kernel_.objective->largest ? 1 / value : value;
  }
  return time_us;
}

}  // namespace tuner::spec
