// The README's tables are those of db/*.json and configs/*.yaml. TUNER_UPDATE_README=1 writes them anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "readme/results_table.h"
#include "spec/sweep_plan.h"
#include "store/results_file.h"

namespace tuner::readme {
namespace {
namespace fs = std::filesystem;

const fs::path root = TUNER_SOURCE_DIR;
constexpr std::string_view begin_mark = "<!-- results:begin -->\n";
constexpr std::string_view end_mark = "<!-- results:end -->\n";

std::vector<fs::path> files_of(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(folder))
    if (file.path().extension() == extension) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<store::Entry> shipped() {
  std::vector<store::Entry> entries;
  for (const fs::path& file : files_of(root / "db", ".json"))
    for (store::Entry& entry : store::read_results(file.string())) entries.push_back(std::move(entry));
  return entries;
}

bool measured(const std::vector<store::Entry>& entries, const std::string& gpu) {
  return std::any_of(entries.begin(), entries.end(), [&](const store::Entry& entry) { return entry.gpu.name == gpu; });
}

// Sweep files that name a GPU of which no result is shipped.
std::vector<CompiledOnly> compiled_only(const std::vector<store::Entry>& entries) {
  const spec::Catalog catalog = spec::Catalog::load({(root / "kernel_templates").string()});
  std::vector<CompiledOnly> rows;
  for (const fs::path& file : files_of(root / "configs", ".yaml")) {
    const spec::SweepPlan plan = spec::read_sweep(file.string(), catalog);
    if (plan.gpu_name.empty() || measured(entries, plan.gpu_name)) continue;
    for (const spec::PlannedProblem& planned : plan.problems) {
      const std::string& kernel = planned.problem.kernel;
      const auto same = std::find_if(rows.begin(), rows.end(), [&](const CompiledOnly& row) {
        return row.gpu == plan.gpu_name && row.kernel == kernel;
      });
      if (same != rows.end())
        ++same->shapes;
      else
        rows.push_back({plan.gpu_name, kernel, 1});
    }
  }
  return rows;
}

// What the sweep files of configs/ measure; `tuner list` shows the rest.
std::vector<store::Entry> of_configs(std::vector<store::Entry> entries) {
  const spec::Catalog catalog = spec::Catalog::load({(root / "kernel_templates").string()});
  std::vector<Problem> planned;
  for (const fs::path& file : files_of(root / "configs", ".yaml")) {
    const spec::SweepPlan plan = spec::read_sweep(file.string(), catalog);
    if (!plan.gpu_name.empty() && !measured(entries, plan.gpu_name)) continue;
    for (const spec::PlannedProblem& each : plan.problems) planned.push_back(each.problem);
  }
  const auto elsewhere = [&](const store::Entry& entry) {
    return std::none_of(planned.begin(), planned.end(), [&](const Problem& problem) {
      return problem.kernel == entry.result.problem.kernel && problem.dims == entry.result.problem.dims;
    });
  };
  entries.erase(std::remove_if(entries.begin(), entries.end(), elsewhere), entries.end());
  return entries;
}

std::string expected() {
  const std::vector<store::Entry> entries = of_configs(shipped());
  const std::string compiled = compiled_table(compiled_only(entries));
  return results_table(entries) + (compiled.empty() ? "" : "\n" + compiled);
}

TEST(Readme, shows_the_shipped_results) {
  std::ifstream file(root / "README.md");
  std::stringstream whole;
  whole << file.rdbuf();
  std::string text = whole.str();
  const std::size_t begin = text.find(begin_mark);
  const std::size_t end = text.find(end_mark);
  ASSERT_NE(begin, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t from = begin + begin_mark.size();
  const std::string table = expected();
  if (std::getenv("TUNER_UPDATE_README")) {
    std::ofstream(root / "README.md") << text.replace(from, end - from, table);
    return;
  }
  EXPECT_EQ(text.substr(from, end - from), table) << "run it with TUNER_UPDATE_README=1 and commit README.md";
}

TEST(Readme, a_row_without_a_measured_winner_is_left_out) {
  store::Entry entry;
  entry.gpu.name = "NVIDIA H200";
  entry.result.problem = {"gemv_f16", {4096, 4096}, {}};
  entry.result.winner = 1;
  entry.result.bytes_read = 33.5e6;
  entry.result.ceiling.sustained_gb_per_s = 4600;
  entry.trials.resize(1);
  entry.trials[0].id = 1;
  entry.trials[0].status = Status::compiled;
  EXPECT_EQ(results_table({entry}), "No results are shipped yet.\n");
  entry.trials[0].status = Status::measured;
  entry.trials[0].time_us = 9.4;
  entry.trials[0].config.params = {{"variant", Name{"vec"}}, {"unroll", std::int64_t{4}}};
  EXPECT_NE(results_table({entry}).find("| NVIDIA H200 | gemv_f16 | 4096x4096 | 9.40 | 3564 |"), std::string::npos)
      << results_table({entry});
  entry.emulated = true;
  EXPECT_EQ(results_table({entry}), "No results are shipped yet.\n");
}

}  // namespace
}  // namespace tuner::readme
