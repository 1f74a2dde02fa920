// The README's tables are those of db/*.json and configs/*.yaml. TUNER_UPDATE_README=1 writes them anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "readme/results_table.h"
#include "spec/resolve.h"
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

std::string name_of(const Problem& problem) {
  static const spec::Catalog catalog = spec::Catalog::load({(root / "kernel_templates").string()});
  std::string name = shape_text(problem.dims);
  const spec::KernelSpec* kernel = catalog.find(problem.kernel);
  if (!kernel) return name;
  const Problem plain = spec::make_problem(*kernel, problem.dims, {}, "a result");
  for (const auto& fact : problem.facts)
    if (std::find(plain.facts.begin(), plain.facts.end(), fact) == plain.facts.end())
      name += " " + fact.first + "=" + to_text(fact.second);
  return name;
}

// What stands between the marks of `page` is `table`; TUNER_UPDATE_README=1 makes it so.
void expect_table(const std::string& page, const std::string& table) {
  std::ifstream file(root / page);
  std::stringstream whole;
  whole << file.rdbuf();
  std::string text = whole.str();
  const std::size_t begin = text.find(begin_mark);
  const std::size_t end = text.find(end_mark);
  ASSERT_NE(begin, std::string::npos) << page;
  ASSERT_NE(end, std::string::npos) << page;
  const std::size_t from = begin + begin_mark.size();
  if (std::getenv("TUNER_UPDATE_README")) {
    std::ofstream(root / page) << text.replace(from, end - from, table);
    return;
  }
  EXPECT_EQ(text.substr(from, end - from), table) << "run it with TUNER_UPDATE_README=1 and commit " << page;
}

TEST(Readme, shows_some_of_the_shipped_results) {
  const std::vector<store::Entry> entries = shipped();
  const std::string compiled = compiled_table(compiled_only(entries));
  expect_table("README.md", results_table(one_of_each(entries), name_of) + (compiled.empty() ? "" : "\n" + compiled));
}

TEST(Readme, all_shipped_results_stand_on_their_page) {
  expect_table("docs/results.md", results_table(shipped(), name_of));
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
  EXPECT_EQ(results_table({entry}, name_of), "No results are shipped yet.\n");
  entry.trials[0].status = Status::measured;
  entry.trials[0].time_us = 9.4;
  entry.trials[0].config.params = {{"variant", Name{"vec"}}, {"unroll", std::int64_t{4}}};
  EXPECT_NE(results_table({entry}, name_of).find("| NVIDIA H200 | gemv_f16 | 4096x4096 | plain | 9.40 | 3564 |"),
            std::string::npos)
      << results_table({entry}, name_of);
  entry.emulated = true;
  EXPECT_EQ(results_table({entry}, name_of), "No results are shipped yet.\n");
}

}  // namespace
}  // namespace tuner::readme
