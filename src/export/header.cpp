#include "export/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/error.h"
#include "export/cpp_names.h"
#include "export/header_text.h"
#include "export/kernel_code.h"
#include "space/expr.h"
#include "spec/resolve.h"
#include "store/distance.h"
#include "store/expected_loss.h"
#include "store/ladder.h"
#include "store/selection.h"

namespace tuner::exporting {
namespace {

using store::Entry;
using store::Forbid;
using store::Pin;

// The GPU models of the rows, in order of appearance.
class Models {
 public:
  std::size_t index(const GpuFacts& gpu) {
    for (std::size_t i = 0; i < gpus_.size(); ++i)
      if (store::gpu_key(gpus_[i]) == store::gpu_key(gpu)) return i;
    gpus_.push_back(gpu);
    return gpus_.size() - 1;
  }
  std::string code() const {
    std::string rows;
    for (const GpuFacts& gpu : gpus_) {
      const auto gib = std::llround(static_cast<double>(gpu.memory_bytes) / (1024.0 * 1024.0 * 1024.0));
      rows += fmt::format("      {{{}, {}, {}, {}, {}, {}, {}, {}}},\n", literal(gpu.name), gpu.arch, gpu.sm_count, gib,
                          literal(gpu.mig_profile), gpu.warp_size, gpu.shared_max, store::bandwidth_of(gpu));
    }
    if (rows.empty()) rows = "      {},\n";
    return fmt::format(
        "\n// The GPU models that have rows.\nconstexpr int model_count = {};\n"
        "TUNER_EXPORT_HD constexpr Gpu model(int i) {{\n  constexpr Gpu all[] = {{\n{}  }};\n  return all[i];\n}}\n\n"
        "// The model of this name (case-blind), else the only one whose name contains it; `name` is null otherwise.\n"
        "TUNER_EXPORT_HD constexpr Gpu known_gpu(const char* name) {{\n  int exact = 0, part = 0, exact_at = 0, "
        "part_at = 0;\n"
        "  for (int i = 0; i < model_count; ++i) {{\n"
        "    if (same_blind(model(i).name, name)) exact_at = i, ++exact;\n"
        "    if (contains_blind(model(i).name, name)) part_at = i, ++part;\n  }}\n"
        "  if (exact > 0) return exact == 1 ? model(exact_at) : Gpu{{}};\n"
        "  return part == 1 ? model(part_at) : Gpu{{}};\n}}\n",
        gpus_.size(), rows);
  }

 private:
  std::vector<GpuFacts> gpus_;
};

// The tables of one kernel.
class Tables {
 public:
  explicit Tables(const spec::KernelSpec& kernel) : code_(kernel) {}

  void add(const Entry& entry, Models& models);
  void add(const Pin& pin);
  void add(const Forbid& forbid);
  bool has_rows() const { return !rows_.empty() || !pins_.empty(); }
  std::string code();

 private:
  std::size_t config(const Config& config);
  // The number of the configuration that answers neighbours, or -1.
  int traveller_of(const Entry& entry);

  KernelCode code_;
  std::vector<std::string> configs_;
  std::vector<std::string> picks_;
  std::vector<std::string> rows_;
  std::vector<std::string> pins_;
  std::vector<std::string> forbids_;
};

// In their order of preference.
std::vector<const Trial*> tied_trials(const Entry& entry) {
  std::vector<std::int64_t> ids = entry.result.tied;
  ids.insert(ids.begin(), entry.result.winner);
  std::vector<const Trial*> trials;
  for (const std::int64_t id : ids)
    for (const Trial& trial : entry.trials)
      if (trial.id == id && std::find(trials.begin(), trials.end(), &trial) == trials.end()) trials.push_back(&trial);
  return trials;
}

// Those that answer where every tie is forbidden: the best first.
std::vector<const Trial*> other_trials(const spec::KernelSpec& kernel, const Entry& entry,
                                       const std::vector<const Trial*>& tied) {
  std::vector<std::pair<double, const Trial*>> timed;
  for (const Trial& trial : entry.trials) {
    const double cost = store::cost_of(trial, entry.trials);
    if (cost <= 0 || std::find(tied.begin(), tied.end(), &trial) != tied.end()) continue;
    try {
      if (!spec::deterministic(kernel, entry.result.problem, trial.config, entry.gpu)) continue;
    } catch (const UserError&) {
      continue;  // of an older manifest
    }
    timed.emplace_back(cost, &trial);
  }
  std::stable_sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Trial*> trials;
  for (const auto& [cost, trial] : timed) trials.push_back(trial);
  return trials;
}

// Whether every parameter of `config` is one of the kernel.
bool knows(const spec::KernelSpec& kernel, const Config& config) {
  return std::all_of(config.params.begin(), config.params.end(), [&](const auto& wanted) {
    return std::any_of(kernel.space.params.begin(), kernel.space.params.end(),
                       [&](const space::Param& param) { return param.name == wanted.first; });
  });
}

bool same_facts(const spec::KernelSpec& kernel, const Problem& problem) {
  return problem.facts.size() == kernel.facts.size() &&
         std::all_of(kernel.facts.begin(), kernel.facts.end(),
                     [&](const auto& fact) { return problem.fact(fact.first) != nullptr; });
}

std::size_t Tables::config(const Config& config) {
  const std::string text = code_.params(config);
  const auto at = std::find(configs_.begin(), configs_.end(), text);
  if (at != configs_.end()) return static_cast<std::size_t>(at - configs_.begin());
  configs_.push_back(text);
  return configs_.size() - 1;
}

int Tables::traveller_of(const Entry& entry) {
  for (const Trial& trial : entry.trials)
    if (trial.id == entry.result.traveller && !trial.exact_only && knows(code_.kernel(), trial.config))
      return static_cast<int>(config(trial.config));
  return -1;
}

void Tables::add(const Entry& entry, Models& models) {
  const spec::KernelSpec& kernel = code_.kernel();
  const Problem& problem = entry.result.problem;
  if (problem.dims.size() != kernel.dims.size() || entry.result.winner == 0) return;
  const std::size_t first = picks_.size();
  const auto add_picks = [&](const std::vector<const Trial*>& trials) {
    std::size_t count = 0;
    for (const Trial* trial : trials) {
      if (!knows(kernel, trial->config)) continue;  // illegal by today's manifest
      picks_.push_back(fmt::format("{{{}, {}}}", config(trial->config), trial->exact_only));
      ++count;
    }
    return count;
  };
  const auto tied = tied_trials(entry);
  const std::size_t ties = add_picks(tied);
  const std::size_t others = add_picks(other_trials(kernel, entry, tied));
  const Problem usual = spec::make_problem(kernel, problem.dims, {}, "export");
  unsigned long long known = 0;
  unsigned long long defaults = 0;
  for (std::size_t i = 0; i < kernel.facts.size(); ++i) {
    const Value* value = problem.fact(kernel.facts[i].first);
    if (value != nullptr) known |= 1ull << i;
    if (value != nullptr && *value == *usual.fact(kernel.facts[i].first)) defaults |= 1ull << i;
  }
  rows_.push_back(fmt::format("{{{}, {}, {}, {}, {}, {}, {:#x}ull, {:#x}ull, {}, {}, {}, {}, {}, {}, {}}}",
                              models.index(entry.gpu), store::layer_rank(entry.layer), entry.shared_gpu,
                              same_facts(kernel, problem), literal(entry.result.regime), code_.problem(problem), known,
                              defaults, first, ties, others, store::gives_way(entry), traveller_of(entry),
                              store::told_loss(entry.result, entry.result.expected_loss),
                              store::told_loss(entry.result, entry.result.default_loss)));
}

void Tables::add(const Pin& pin) {
  if (!same_facts(code_.kernel(), pin.problem) || pin.problem.dims.size() != code_.kernel().dims.size()) return;
  if (!knows(code_.kernel(), pin.config)) return;
  pins_.push_back(fmt::format("{{{}, {}, {}, {}, {}}}", literal(pin.gpu), store::layer_rank(pin.layer),
                              literal(pin.regime), code_.problem(pin.problem), code_.params(pin.config)));
}

void Tables::add(const Forbid& forbid) {
  if (!forbid.kernel.empty() && forbid.kernel != code_.kernel().name) return;
  if (!knows(code_.kernel(), forbid.params)) return;  // agrees with nothing here
  forbids_.push_back(fmt::format("{{{}, {}}}", literal(forbid.gpu), code_.params(forbid.params)));
}

std::string table(const std::string& type, const std::string& name, const std::vector<std::string>& rows) {
  std::string out = "  constexpr " + type + " " + name + "[] = {\n";
  for (const std::string& row : rows) out += "      " + row + ",\n";
  if (rows.empty()) out += "      {},\n";  // an array has at least one
  return out + "  };\n";
}

std::string Tables::code() {
  const std::string k = code_.name();
  std::string out = code_.definition();
  out += "\nTUNER_EXPORT_HD constexpr Choice find(const Gpu& gpu, const " + k +
         "::Problem& problem, const char* regime = \"plain\") {\n";
  out += table(k + "::Params", "configs", configs_);
  out += table("detail::Pick", "picks", picks_);
  out += table("detail::Row<" + k + ">", "rows", rows_);
  out += table("detail::Pin<" + k + ">", "pins", pins_);
  out += table("detail::Forbid<" + k + ">", "forbids", forbids_);
  out += fmt::format("  const detail::Tables<{}> tables{{rows, {}, picks, configs, pins, {}, forbids, {}}};\n", k,
                     rows_.size(), pins_.size(), forbids_.size());
  return out + "  return detail::choice<" + k + ">(tables, problem, gpu, regime);\n}\n";
}

std::string limits(const std::vector<const spec::KernelSpec*>& kernels) {
  std::size_t dims = 1;
  std::size_t params = 1;
  std::size_t steps = 1, templates = 1;
  for (const auto* kernel : kernels) {
    dims = std::max(dims, kernel->dims.size());
    params = std::max(params, kernel->space.params.size());
    steps = std::max(steps, all_steps(*kernel).size());
    for (const auto& step : kernel->steps) templates = std::max(templates, step.template_arguments.size());
  }
  return fmt::format(
      "\nnamespace tuner_export {{\n\nconstexpr int max_dims = {};\nconstexpr int max_params = {};\nconstexpr int "
      "max_steps = {};\nconstexpr int max_template_arguments = {};\n",
      dims, params, steps, templates);
}

std::string is_type_code() {
  std::string any;
  for (int type = 0; type <= static_cast<int>(Type::u4); ++type)
    any += fmt::format("{}same_text(name, {})", any.empty() ? "" : " || ", literal(to_text(static_cast<Type>(type))));
  return "\n// Whether this word is an element type.\nTUNER_EXPORT_HD constexpr bool is_type(const char* name) {\n"
         "  return " +
         any + ";\n}\n";
}

std::string dispatch(const std::vector<const spec::KernelSpec*>& kernels) {
  std::string out =
      "\n// Facts not given have the manifest's defaults.\n"
      "TUNER_EXPORT_HD constexpr Choice find(const Gpu& gpu, const char* kernel, const long long* dims, int "
      "dim_count,\n"
      "                                      const Fact* facts, int fact_count, const char* regime = \"plain\") {\n";
  for (const auto* kernel : kernels) {
    const std::string k = struct_name(kernel->name);
    out += fmt::format(
        "  if (same_text(kernel, {})) {{\n    {}::Problem problem = {{}};\n"
        "    if (!detail::fill<{}>(problem, dims, dim_count, facts, fact_count)) return {{}};\n"
        "    return find(gpu, problem, regime);\n  }}\n",
        literal(kernel->name), k, k);
  }
  return out + "  return {};\n}\n";
}

}  // namespace

std::string header(const std::vector<Entry>& entries, const std::vector<Pin>& pins, const std::vector<Forbid>& forbids,
                   const spec::Catalog& catalog) {
  Models models;
  std::vector<const spec::KernelSpec*> kernels;
  std::string bodies;
  for (const spec::KernelSpec& kernel : catalog.kernels()) {
    Tables tables(kernel);
    for (const Entry& entry : entries)
      if (entry.result.problem.kernel == kernel.name && !entry.emulated) tables.add(entry, models);
    for (const Pin& pin : pins)
      if (pin.problem.kernel == kernel.name) tables.add(pin);
    for (const Forbid& forbid : forbids) tables.add(forbid);
    if (!tables.has_rows()) continue;
    kernels.push_back(&kernel);
    bodies += tables.code();
  }
  if (kernels.empty())
    throw UserError("there is nothing to export: no row of a GPU for any known kernel", {}, "run `tuner sweep` first");
  std::string out(header_top);
  out += space::cpp_prelude("TUNER_EXPORT_HD ");
  out += header_sized;
  out += limits(kernels);
  out += header_types;
  out += models.code();
  out += is_type_code();
  out += header_ladder;
  out += bodies;
  out += dispatch(kernels);
  out += header_bottom;
  return out;
}

}  // namespace tuner::exporting
