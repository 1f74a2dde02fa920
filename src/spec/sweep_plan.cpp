#include "spec/sweep_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/gpu.h"
#include "core/suggest.h"
#include "spec/cursor.h"
#include "spec/keys.h"
#include "spec/param_values.h"
#include "spec/resolve.h"
#include "spec/yaml.h"

namespace tuner::spec {
namespace {

class PlanReader {
 public:
  PlanReader(const Cursor& root, const Catalog& catalog) : root_(root), catalog_(catalog) {}

  SweepPlan read() {
    check_version(root_);
    root_.check_keys(keys_of("sweep"));
    gpu();
    const Cursor kernels = root_.at("kernels");
    for (const Cursor& entry : kernels.items_or_one()) kernel(entry);
    if (plan_.problems.empty()) kernels.fail("'kernels' is empty");
    const auto regime = root_.find("regime");
    set_regime(plan_, word("regime", {plain_regime, dependent_regime}), regime ? regime->where() : std::string());
    if (const auto search = root_.find("search")) {
      plan_.search = search->text();
      plan_.search_where = search->where();
    }
    if (const auto budget = root_.find("budget")) {
      budget->check_keys(keys_of("sweep_budget"));
      if (const auto time = budget->find("time")) plan_.time_budget_s = parse_duration(time->text(), time->where());
      if (const auto trials = budget->find("trials")) {
        plan_.trials_budget = trials->integer();
        if (plan_.trials_budget < 1) trials->fail("a search tries at least 1 configuration");
      }
    }
    return std::move(plan_);
  }

 private:
  void gpu() {
    const auto gpu = root_.find("gpu");
    if (!gpu) return;
    gpu->check_keys(keys_of("sweep_gpu"));
    if (const auto name = gpu->find("name")) plan_.gpu_name = name->text();
    const auto arch = gpu->find("arch");
    if (!arch) return;
    const auto number = arch_from_text(arch->text());
    if (!number) arch->fail("'" + arch->text() + "' is not an architecture", "e.g. sm_90");
    plan_.arch = *number;
  }

  std::string word(const char* key, const std::vector<std::string>& known) const {
    const auto at = root_.find(key);
    if (!at) return known.front();
    if (std::find(known.begin(), known.end(), at->text()) == known.end())
      at->fail("unknown " + std::string(key) + " '" + at->text() + "'", did_you_mean(at->text(), known));
    return at->text();
  }

  void kernel(const Cursor& entry) {
    if (entry.is_map()) entry.check_keys(keys_of("sweep_kernel"));
    const Cursor name = entry.is_map() ? entry.at("kernel") : entry;
    const KernelSpec& spec = catalog_.at(name.text(), name.where());
    space::Partial only;
    if (const auto params = own(entry, "params"))
      for (const auto& [key, body] : params->fields()) only.emplace_back(key.text(), values_for(spec, key, body));
    const auto anchors = here_or_above(entry, "anchors");
    const auto shapes = here_or_above(entry, "shapes");
    if (!shapes && !anchors)
      entry.fail("'" + spec.name + "' has no shapes", "add shapes: [4096x4096] here or at the top");
    const auto fact_map = here_or_above(entry, "facts");
    const Facts facts = facts_at(fact_map);
    std::vector<Problem> first;
    if (anchors)
      for (const Cursor& shape : shapes_in(*anchors, "anchors")) {
        add(spec, shape, facts, fact_map, only, {});
        first.push_back(plan_.problems.back().problem);
      }
    if (shapes)
      for (const Cursor& shape : shapes_in(*shapes, "shapes")) add(spec, shape, facts, fact_map, only, first);
  }

  static std::vector<Cursor> shapes_in(const Cursor& list, const std::string& key) {
    auto items = list.items_or_one();
    if (items.empty()) list.fail("'" + key + "' is empty");
    return items;
  }

  std::optional<Cursor> here_or_above(const Cursor& entry, const char* key) const {
    auto found = own(entry, key);
    return found ? found : root_.find(key);
  }

  static std::optional<Cursor> own(const Cursor& entry, const char* key) {
    return entry.is_map() ? entry.find(key) : std::nullopt;
  }

  static Facts facts_at(const std::optional<Cursor>& map) {
    Facts facts;
    if (map)
      for (const auto& [key, body] : map->fields()) facts.emplace_back(key.name(), body.value());
    return facts;
  }

  void add(const KernelSpec& spec, const Cursor& shape, const Facts& facts, const std::optional<Cursor>& fact_map,
           const space::Partial& only, const std::vector<Problem>& anchors) {
    const std::vector<std::int64_t> dims = parse_shape(shape.text(), shape.where());
    make_problem(spec, dims, {}, shape.where());  // a fault of the shape alone is at the shape
    Problem problem = make_problem(spec, dims, facts, fact_map ? fact_map->where() : shape.where());
    for (const PlannedProblem& other : plan_.problems)
      if (other.problem == problem)
        shape.fail("'" + spec.name + "' at " + shape_text(dims) + " stands twice", "keep one");
    plan_.problems.push_back({&spec, std::move(problem), only, anchors});
  }

  Cursor root_;
  const Catalog& catalog_;
  SweepPlan plan_;
};

}  // namespace

SweepPlan parse_sweep(std::string_view text, const std::string& path, const Catalog& catalog) {
  const YamlNode root = parse_yaml(text, path);
  SweepPlan plan = PlanReader(Cursor(root, path, ""), catalog).read();
  plan.path = path;
  plan.text = std::string(text);
  return plan;
}

void set_regime(SweepPlan& plan, const std::string& regime, const std::string& where) {
  for (PlannedProblem& planned : plan.problems) planned.kernel = &in_regime(*planned.kernel, regime, where);
  plan.regime = regime;
}

SweepPlan read_sweep(const std::string& path, const Catalog& catalog) {
  return parse_sweep(read_text(path), path, catalog);
}

SweepPlan plan_of(const Catalog& catalog, const std::vector<std::string>& kernels,
                  const std::vector<std::string>& shapes, const Facts& facts) {
  if (kernels.empty()) throw UserError("no kernel is named", "--kernel", did_you_mean("", catalog.names()));
  if (shapes.empty()) throw UserError("no shape is named", "--shape", "e.g. --shape 4096x14336");
  SweepPlan plan;
  for (const std::string& name : kernels) {
    const KernelSpec& kernel = catalog.at(name, "--kernel");
    for (const std::string& shape : shapes) {
      const std::vector<std::int64_t> dims = parse_shape(shape, "--shape");
      make_problem(kernel, dims, {}, "--shape");
      PlannedProblem planned{&kernel, make_problem(kernel, dims, facts, "--set"), {}};
      const auto same = [&](const PlannedProblem& other) { return other.problem == planned.problem; };
      if (std::none_of(plan.problems.begin(), plan.problems.end(), same)) plan.problems.push_back(std::move(planned));
    }
  }
  return plan;
}

double parse_duration(std::string_view text, std::string_view where) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr Unit kUnits[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
  double number = 0;
  const auto [stop, fault] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const std::string_view unit = text.substr(static_cast<std::size_t>(stop - text.data()));
  constexpr double limit = 1e7;  // seconds: about four months
  if (fault == std::errc{} && number >= 0)
    for (const Unit& u : kUnits)
      if (u.name == unit && number * u.seconds <= limit) return number * u.seconds;
  throw UserError(fmt::format("'{}' is not a duration", text), std::string(where), "e.g. 30s, 10min, 1h");
}

}  // namespace tuner::spec
