// Layers with rows of a gemv, and the one answer of a look-up over them.
#pragma once

#include <gtest/gtest.h>

#include "store/lookup.h"
#include "store/results_file.h"
#include "unit/store/fixtures.h"
#include "unit/store/knowledge.h"

namespace tuner::store::test {

// A finished problem: `winner` won, `tied` is tied with it, naive is the default and far behind.
struct Row {
  std::string gpu = "NVIDIA H200";
  std::int64_t rows = 4096;
  std::int64_t columns = 4096;
  Config winner = config_of("vec", 256);
  std::string tied{};  // variant
  bool shared_gpu = false;
  bool emulated = false;
  int arch = 90;
  int sm_count = 132;
  Facts facts{};
  std::string regime = "plain";
  bool exact_only = false;
};

inline Trial timed(const Problem& problem, const Config& config, float us, bool finalist) {
  Trial trial = measured(problem, config, std::vector<float>(5, us));
  trial.finalist = finalist;
  return trial;
}

inline void store_row(Store& store, const Row& row) {
  RunFacts facts = run_on(gpu_named(row.gpu, row.arch, row.sm_count));
  facts.shared_gpu = row.shared_gpu;
  facts.emulated = row.emulated;
  const auto run = store.begin_run(facts);
  ProblemResult result;
  result.problem = gemv(row.rows, row.columns);
  result.regime = row.regime;
  for (const auto& [name, value] : row.facts)
    for (auto& [other, current] : result.problem.facts)
      if (other == name) current = value;
  const auto save = [&](Trial trial) {
    trial.regime = row.regime;
    trial.exact_only = row.exact_only;
    return store.save(run, trial);
  };
  result.winner = save(timed(result.problem, row.winner, 10, true));
  result.tied = {result.winner};
  if (!row.tied.empty()) result.tied.push_back(save(timed(result.problem, config_of(row.tied, 256), 10, true)));
  result.default_trial = save(timed(result.problem, config_of("naive", 64), 50, false));
  store.save_result(run, result);
  store.end_run(run, "done");
}

class Lookup : public testing::Test {
 protected:
  void put(const Row& row) { store_row(*open(), row); }
  std::unique_ptr<Store> open() {
    return std::make_unique<Store>(Store::open(folder_.file("user.db"), Store::Mode::read_write));
  }
  // As a results file of a layer.
  void put_in(const std::string& layer, const Row& row) {
    const std::string path = folder_.file(layer + ".db");
    Store store = Store::open(path, Store::Mode::read_write);
    store_row(store, row);
    std::filesystem::create_directories(folder_.file(layer));
    write_file(folder_.file(layer) + "/gpu.json", write_results(export_results(store)));
  }
  Layers layers() {
    std::vector<std::string> warnings;
    Layers layers = Layers::open(
        {folder_.file("user.db"), true, folder_.file("project"), folder_.file("site"), folder_.file("shipped")},
        warnings);
    EXPECT_TRUE(warnings.empty()) << warnings.front();
    return layers;
  }
  static Query query(std::int64_t rows, std::int64_t columns, const std::string& gpu = "h200") {
    Query query;
    query.kernel = "gemv_f16";
    query.dims = {rows, columns};
    query.gpu = gpu;
    return query;
  }
  // The one answer.
  Answer best(const Query& asked) {
    kept_.push_back(layers());
    const auto answers = kept_.back().best(asked, gemv_knowledge());
    EXPECT_EQ(answers.size(), 1U);
    return answers.empty() ? Answer{} : answers.front();
  }

  ScratchFolder folder_;
  std::vector<Layers> kept_;
};

inline std::string variant(const Answer& answer) {
  const Value* value = answer.config.find("variant");
  return value == nullptr ? "" : to_text(*value);
}

}  // namespace tuner::store::test
