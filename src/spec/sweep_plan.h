// A sweep file, read and checked against the catalog.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config.h"
#include "core/problem.h"
#include "spec/catalog.h"

namespace tuner::spec {

// One kernel at one shape, with the part of its space that is asked for.
struct PlannedProblem {
  const KernelSpec* kernel = nullptr;  // in the regime of the plan
  Problem problem;
  space::Partial only;  // restrictions of parameters; empty: the whole space
  // Not empty: only what was good at these, which stand before it, and a little beside it.
  std::vector<Problem> anchors{};
  std::vector<Config> exactly{};  // not empty: these legal configurations alone, in this order
};

struct SweepPlan {
  std::string path;  // empty for a plan from flags
  std::string text;
  std::string gpu_name;                  // empty: any
  int arch = 0;                          // 0: any
  std::vector<PlannedProblem> problems;  // in file order: kernels, then shapes
  std::string regime = "plain";
  std::string search;              // a strategy; empty: every configuration where these are not too many
  std::string search_where;        // that it was named
  std::int64_t trials_budget = 0;  // configurations that a search of one problem tries at most; 0: as is usual
  std::uint64_t seed = 1;          // of a search
  double time_budget_s = 0;        // 0: none
};

// Plans all of it in this regime; `where` is where that was asked. Throws UserError for a kernel that has not got it.
void set_regime(SweepPlan& plan, const std::string& regime, const std::string& where);

// Throws UserError with file:line:column. `sweep.kernels` entries are names or maps {kernel, anchors, shapes, params,
// facts}; `anchors`, `shapes` and `facts` at the top hold for entries that have none of their own. Anchors come first,
// and are those of the shapes behind them.
SweepPlan read_sweep(const std::string& path, const Catalog& catalog);
SweepPlan parse_sweep(std::string_view text, const std::string& path, const Catalog& catalog);

// `--kernel K --shape MxN --set name=value`.
SweepPlan plan_of(const Catalog& catalog, const std::vector<std::string>& kernels,
                  const std::vector<std::string>& shapes, const Facts& facts);

// "10min", "30s", "1h" -> seconds. Throws UserError.
double parse_duration(std::string_view text, std::string_view where);

}  // namespace tuner::spec
