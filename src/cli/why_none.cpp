#include "cli/why_none.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "spec/resolve.h"

namespace tuner::cli {
namespace {

constexpr std::size_t few = 3;

std::vector<const spec::KernelSpec*> kernels_of(const Context& context, const spec::Catalog& catalog,
                                                const store::Query& query) {
  std::vector<const spec::KernelSpec*> kernels;
  const auto built_in = std::filesystem::path(context.places.templates()).lexically_normal().string();
  for (const spec::KernelSpec& kernel : catalog.kernels()) {
    const bool own = kernel.path.rfind(built_in, 0) != 0 && kernel.dims.size() == query.dims.size();
    if (query.kernel.empty() ? own : kernel.name == query.kernel) kernels.push_back(&kernel);
  }
  return kernels.size() > few ? std::vector<const spec::KernelSpec*>() : kernels;
}

// The constraint that leaves out most.
std::optional<std::string> why(const spec::KernelSpec& kernel, const store::Query& query) {
  const GpuFacts gpu = query.here.value_or(gpu_of_arch(90));
  const Problem problem = spec::make_problem(kernel, query.dims, query.facts, "--shape");
  if (auto reason = spec::why_not_on(kernel, problem, gpu)) return reason;
  const space::Scope scope = spec::base_scope(kernel, problem, gpu);
  if (kernel.space.complete(scope, {})) return std::nullopt;
  const space::Constraint* most = nullptr;
  std::int64_t count = 0;
  for (const auto& [text, excluded] : kernel.space.exclusions(scope))
    for (const space::Constraint& constraint : kernel.space.constraints)
      if (excluded > count && constraint.expression.text() == text) most = &constraint, count = excluded;
  if (most == nullptr) return std::nullopt;
  const std::string text = most->expression.text();
  return most->why.empty() || most->why == text ? text + " is false" : most->why + " (" + text + ")";
}

}  // namespace

std::vector<std::string> why_none(const Context& context, const spec::Catalog& catalog, const store::Query& query) {
  std::vector<std::string> lines;
  for (const spec::KernelSpec* kernel : kernels_of(context, catalog, query)) {
    try {
      if (const auto reason = why(*kernel, query)) lines.push_back(kernel->name + ": " + *reason);
    } catch (const UserError&) {
      continue;
    }
  }
  return lines;
}

}  // namespace tuner::cli
