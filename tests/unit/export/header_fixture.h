// A catalog, a database and results folders with random rows of it, and the exported header of the whole.
#pragma once

#include <algorithm>
#include <random>
#include <set>

#include "core/statistics.h"
#include "export/header.h"
#include "export/knowledge.h"
#include "spec/resolve.h"
#include "store/results_file.h"
#include "store/store.h"
#include "unit/export/odd_manifest.h"
#include "unit/store/fixtures.h"

namespace tuner::exporting::test {

using store::test::ScratchFolder;
using store::test::write_file;

inline std::vector<GpuFacts> gpus() {
  using store::test::gpu_named;
  return {gpu_named("NVIDIA H200", 90, 132), gpu_named("NVIDIA H100 PCIe", 90, 114), gpu_named("NVIDIA A100", 80, 108)};
}

class HeaderFixture {
 public:
  // With rows and pins of every kernel, or of those named.
  explicit HeaderFixture(unsigned seed, const std::vector<std::string>& kernels = {}) : random_(seed) {
    std::filesystem::create_directories(folder_.file("kernels"));
    write_file(folder_.file("kernels/odd.yaml"), odd_manifest);
    write_file(folder_.file("kernels/odd.cu"), "extern \"C\" __global__ void odd() {}\n");
    catalog_ = spec::Catalog::load({std::string(TUNER_SOURCE_DIR) + "/kernel_templates", folder_.file("kernels")});
    for (const auto& name : kernels) kernels_.push_back(catalog_.at(name, "test"));
    if (kernels.empty()) kernels_ = catalog_.kernels();
  }

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return list[below(list.size())];
  }

  // Spread over some octaves, so that neighbours near and far occur.
  std::vector<std::int64_t> shape(const spec::KernelSpec& kernel) {
    std::vector<std::int64_t> dims;
    for (std::size_t i = 0; i < kernel.dims.size(); ++i)
      dims.push_back(kernel.dims.size() == 3 ? 1 + static_cast<std::int64_t>(below(60))
                                             : static_cast<std::int64_t>((512u << below(5)) + below(3)));
    return dims;
  }

  Facts facts(const spec::KernelSpec& kernel, const std::vector<std::int64_t>& dims) {
    Facts given;
    if (below(3) != 0) return given;
    if (kernel.name == "odd_3d") {
      given.emplace_back("fast", below(2) == 0);
      if (below(2) == 0) given.emplace_back("mode", Name{below(2) == 0 ? "f16" : "f32"});
      return given;
    }
    const auto has = [&](const char* name) {
      return std::any_of(kernel.facts.begin(), kernel.facts.end(),
                         [&](const auto& fact) { return fact.first == name; });
    };
    if (!has("y") || !has("batch") || !has("row_stride")) return given;
    given.emplace_back("y", Name{one_of<std::string>({"f32", "f16", "bf16"})});
    if (below(2) == 0) given.emplace_back("batch", static_cast<std::int64_t>(1 + below(2)));
    if (below(3) == 0) given.emplace_back("row_stride", dims.back() + static_cast<std::int64_t>(below(2)));
    return given;
  }

  Config config(const spec::KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu) {
    const auto base = spec::base_scope(kernel, problem, gpu);
    const auto covering = kernel.space.covering(base, 40, 7);
    return one_of(covering);
  }

  void store_result(store::Store& store, const spec::KernelSpec& kernel, const GpuFacts& gpu) {
    RunFacts run = store::test::run_on(gpu);
    run.shared_gpu = below(6) == 0;
    const auto id = store.begin_run(run);
    const auto dims = shape(kernel);
    ProblemResult result;
    result.problem = spec::make_problem(kernel, dims, facts(kernel, dims), "test");
    result.regime = below(8) == 0 ? "dependent" : "plain";
    const spec::KernelSpec& launched = spec::launched_in(kernel, result.regime);
    // A second result of a problem has an incumbent, which goes before its ties.
    const std::string key = gpu.name + " " + kernel.name + " " + shape_text(dims) + " " +
                            facts_key(result.problem.facts) + " " + result.regime;
    if (!stored_.insert(key).second) return store.end_run(id, "done");
    std::set<std::string> used;  // a configuration has one trial; 0 where there is none that is new
    const auto save = [&](float us, bool finalist) -> std::int64_t {
      Config config = this->config(launched, result.problem, gpu);
      for (int i = 0; i < 50 && used.count(config.label()) > 0; ++i)
        config = this->config(launched, result.problem, gpu);
      if (!used.insert(config.label()).second) return 0;
      Trial trial = store::test::measured(result.problem, config, {us, us, us});
      trial.regime = result.regime;
      trial.finalist = finalist;
      trial.exact_only = below(5) == 0;
      trial.steps.clear();
      return store.save(id, trial);
    };
    for (std::size_t i = 0; i <= below(3); ++i)
      if (const std::int64_t trial = save(10, true)) result.tied.push_back(trial);
    result.winner = result.tied.front();
    for (std::size_t i = 0; i <= below(3); ++i) save(20 + static_cast<float>(i), true);
    result.default_trial = save(below(2) == 0 ? 10.25F : 50, false);
    if (result.default_trial == 0) result.default_trial = result.winner;
    const std::int64_t traveller = below(2) == 0 ? result.winner : result.tied.back();
    if (below(3) != 0 && !store.trial(traveller)->exact_only) {
      result.expected_loss = 0.01 * static_cast<double>(below(4));
      result.default_loss = 0.01 * static_cast<double>(below(4));
      result.worst_loss = 0.01 * static_cast<double>(below(4));
      result.loss_neighbours = 1 + static_cast<int>(below(5));
      result.traveller = traveller;
    }
    store.save_result(id, result);
    store.end_run(id, "done");
  }

  // Rows over three layers and three models, pins and forbids.
  void fill(std::size_t rows_a_kernel) {
    for (const char* layer : {"user", "site", "shipped"}) {
      stored_.clear();
      store::Store store = store::Store::open(folder_.file(std::string(layer) + ".db"), store::Store::Mode::read_write);
      for (const auto& kernel : kernels_)
        for (std::size_t i = 0; i < rows_a_kernel; ++i) store_result(store, kernel, one_of(gpus()));
      if (std::string(layer) != "user") {
        write_folder(layer, store);
        continue;
      }
      pin_some(store);
    }
    pin_in_site(store::Store::open(folder_.file("user.db"), store::Store::Mode::read_only));
  }

  store::Layers layers() const {
    std::vector<std::string> warnings;
    auto layers = store::Layers::open(
        {folder_.file("user.db"), true, "", folder_.file("site"), folder_.file("shipped")}, warnings);
    layers.entries();
    warnings.insert(warnings.end(), layers.warnings().begin(), layers.warnings().end());
    if (!warnings.empty()) throw std::runtime_error(warnings.front());
    return layers;
  }

  const spec::Catalog& catalog() const { return catalog_; }
  const std::vector<spec::KernelSpec>& kernels() const { return kernels_; }
  const ScratchFolder& folder() const { return folder_; }

 private:
  // The site has pins of its own, some at places that the user pinned too, beside its results.
  void pin_in_site(const store::Store& user) {
    store::Overrules overrules;
    for (const store::Pin& pin : user.pins()) {
      if (below(2) == 0) store::put(overrules, pin);
      store::Pin other = pin;
      const spec::KernelSpec& kernel = catalog_.at(pin.problem.kernel, "test");
      const auto dims = shape(kernel);
      other.problem = spec::make_problem(kernel, dims, facts(kernel, dims), "test");
      other.config = config(kernel, other.problem, gpus().front());
      store::put(overrules, other);
    }
    store::Forbid forbid;
    forbid.params = {{{"variant", Name{"warp"}}, {"block_size", std::int64_t{512}}}};
    forbid.why = "x";
    store::put(overrules, forbid);
    write_file(folder_.file("site/overrules.json"), store::write_overrules(overrules));
  }

  void write_folder(const std::string& layer, const store::Store& store) {
    std::filesystem::create_directories(folder_.file(layer));
    for (const auto& gpu : gpus()) {
      std::vector<store::Entry> rows;
      for (auto& entry : store::export_results(store))
        if (store::gpu_key(entry.gpu) == store::gpu_key(gpu)) rows.push_back(entry);
      if (!rows.empty()) write_file(folder_.file(layer) + "/" + gpu.name + ".json", write_results(rows));
    }
  }

  void pin_some(store::Store& store) {
    for (const auto& kernel : kernels_) {
      const auto dims = shape(kernel);
      store::Pin pin;
      pin.why = "x";
      pin.problem = spec::make_problem(kernel, dims, facts(kernel, dims), "test");
      pin.config = config(kernel, pin.problem, gpus().front());
      store.pin(pin);
      pin.gpu = "h200";
      pin.config = config(kernel, pin.problem, gpus().front());
      store.pin(pin);
    }
    store::Forbid forbid;
    forbid.params = {{{"variant", Name{"shared"}}, {"block_size", std::int64_t{128}}}};
    forbid.gpu = "a100";
    store.forbid(forbid);
    forbid.params = {{{"plan", Name{"column"}}}};
    forbid.kernel = "odd_3d";
    store.forbid(forbid);
    forbid.params = {{{"no_such_parameter", std::int64_t{1}}}};
    store.forbid(forbid);
  }

  std::mt19937 random_;
  ScratchFolder folder_;
  spec::Catalog catalog_;
  std::vector<spec::KernelSpec> kernels_;  // of the catalog, those that have rows
  std::set<std::string> stored_;           // problems of the layer that is filled
};

}  // namespace tuner::exporting::test
