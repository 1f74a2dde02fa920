// Problems that no tile divides.
#include <algorithm>
#include <map>

#include "core/error.h"
#include "spec/resolve.h"

namespace tuner::spec {
namespace {

std::vector<Awkward> gemv_problems(const KernelSpec& kernel, const Problem& problem) {
  struct Row {
    std::int64_t rows, columns, gap, misalign;
  };
  // Odd in everything; one element; a gap and a pointer off by one element; rows that vectors of 8 divide, with a gap;
  // a row that fills the largest unrolled tile once and leaves a tail; few rows of the problem's own length, for what
  // is legal at that alone.
  constexpr std::int64_t kLongest = 1 << 16;
  const Row kRows[] = {{37, 131, 0, 0}, {1, 1, 0, 0},     {129, 257, 3, 1},
                       {64, 520, 8, 0}, {3, 16391, 1, 0}, {5, std::min(kLongest, problem.dims.back()), 8, 0}};
  const bool strided = problem.fact("row_stride") != nullptr;
  std::vector<Awkward> list;
  for (const Row& row : kRows) {
    Facts facts = problem.facts;
    for (auto& [name, value] : facts)
      if (name == "row_stride") value = row.columns + row.gap;
    const std::vector<std::int64_t> dims = {row.rows, row.columns};
    list.push_back({make_problem(kernel, dims, strided ? facts : problem.facts, {}), row.misalign});
  }
  return list;
}

// By number of dimensions: all odd, ones, a little over a power of two, one long.
std::vector<std::vector<std::int64_t>> awkward_shapes(std::size_t dims) {
  if (dims == 1) return {{131}, {1}, {1031}, {16391}, {65543}};
  if (dims == 2) return {{37, 131}, {1, 1}, {129, 257}, {3, 4099}, {1031, 5}};
  std::vector<std::vector<std::int64_t>> shapes;
  constexpr std::int64_t kRows[][3] = {{37, 65, 131}, {1, 1, 1}, {129, 33, 17}, {5, 261, 67}};
  for (const auto& row : kRows) {
    shapes.emplace_back(dims, 2);
    for (std::size_t i = 0; i < 3; ++i) shapes.back()[i] = row[i];
  }
  return shapes;
}

// Facts that say their default in terms of the dims follow the shape; others stay as the problem has them.
Facts facts_for(const KernelSpec& kernel, const Problem& problem) {
  Facts facts;
  for (const auto& [name, value] : problem.facts) {
    const auto spec = std::find_if(kernel.facts.begin(), kernel.facts.end(),
                                   [&, &wanted = name](const auto& each) { return each.first == wanted; });
    const bool of_dims = spec != kernel.facts.end() &&
                         std::any_of(kernel.dims.begin(), kernel.dims.end(),
                                     [&](const std::string& dim) { return spec->second.names().count(dim) != 0; });
    if (!of_dims) facts.emplace_back(name, value);
  }
  return facts;
}

using Sizes = std::map<std::string, std::int64_t>;

// Elements of what is filled from files.
Sizes file_sizes(const KernelSpec& kernel, const Problem& problem) {
  Sizes sizes;
  const space::Scope scope = base_scope(kernel, problem, gpu_of_arch(90));
  for (const ArgSpec& arg : kernel.args)
    if (arg.fill.kind == Fill::Kind::file) sizes[arg.name] = argument_of(arg, problem, scope).elements;
  return sizes;
}

// Shapes of their own, or those that are made from the number of dims.
std::vector<Awkward> problems_of_shapes(const KernelSpec& kernel, const Problem& problem) {
  const auto shapes = kernel.awkward_given ? kernel.awkward : awkward_shapes(kernel.dims.size());
  const Facts facts = facts_for(kernel, problem);
  std::vector<Awkward> list;
  for (const auto& dims : shapes) {
    try {
      list.push_back({make_problem(kernel, dims, facts, {}), 0});
    } catch (const UserError&) {
      if (kernel.awkward_given) throw;  // a shape that the manifest itself cannot have
    }
  }
  return list;
}

}  // namespace

std::vector<Awkward> awkward_problems(const KernelSpec& kernel, const Problem& problem) {
  if (kernel.reference.kind == ReferencePlan::Kind::none) return {};
  if (kernel.reference.kind == ReferencePlan::Kind::gemv && !kernel.awkward_given)
    return gemv_problems(kernel, problem);
  if (kernel.reference.kind == ReferencePlan::Kind::data) return {};
  std::vector<Awkward> list = problems_of_shapes(kernel, problem);
  if (const Sizes sizes = file_sizes(kernel, problem); !sizes.empty())
    std::erase_if(list, [&](const Awkward& each) { return file_sizes(kernel, each.problem) != sizes; });
  return list;
}

std::vector<std::string> of_one_size(const KernelSpec& kernel, const Problem& problem) {
  if (kernel.reference.kind == ReferencePlan::Kind::data) return {"the reference"};
  std::vector<std::string> names;
  const Sizes sizes = file_sizes(kernel, problem);
  if (sizes.empty() || kernel.reference.kind == ReferencePlan::Kind::none) return names;
  for (const Awkward& each : problems_of_shapes(kernel, problem))
    for (const auto& [name, elements] : file_sizes(kernel, each.problem))
      if (elements != sizes.at(name) && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  return names;
}

}  // namespace tuner::spec
