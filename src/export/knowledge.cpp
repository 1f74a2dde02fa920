#include "export/knowledge.h"

#include <map>

#include "compile/bare_code.h"
#include "core/error.h"
#include "spec/metrics.h"
#include "spec/resolve.h"

namespace tuner::exporting {
namespace {

// CUDA programming guide, "technical specifications per compute capability"; the same on every architecture.
constexpr std::int64_t max_grid_x = 2147483647;
constexpr std::int64_t max_grid_yz = 65535;
constexpr std::int64_t max_block_threads = 1024;
constexpr std::int64_t max_block_z = 64;

std::optional<std::string> why_no_cluster(const Step& step, const GpuFacts& gpu) {
  const Dim3 &cluster = step.cluster, &grid = step.grid;
  if (cluster == Dim3{}) return std::nullopt;
  if (gpu.arch < 90) return "it is launched in clusters, which this architecture lacks";
  const std::int64_t most = gpu.arch / 10 == 9 || gpu.arch / 10 == 10 ? 16 : 8;
  if (cluster.x > most || cluster.y > most || cluster.z > most || cluster.x * cluster.y * cluster.z > most)
    return "its cluster has too many blocks";
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return "its cluster does not divide its grid";
  return std::nullopt;
}

std::optional<std::string> why_not_launchable(const Step& step, const GpuFacts& gpu) {
  if (step.kind != Step::Kind::launch) return std::nullopt;
  const Dim3& grid = step.grid;
  const Dim3& block = step.block;
  if (grid.x > max_grid_x || grid.y > max_grid_yz || grid.z > max_grid_yz)
    return "its grid is beyond the launch limits";
  if (block.x > max_block_threads || block.y > max_block_threads || block.z > max_block_z ||
      block.x * block.y * block.z > max_block_threads)
    return "its block has too many threads";
  if (gpu.shared_max > 0 && step.shared_bytes > gpu.shared_max) return "a block may not have so much shared memory";
  return why_no_cluster(step, gpu);
}

std::optional<std::string> why_illegal(const spec::KernelSpec& kernel, const Problem& problem, const Config& config,
                                       const GpuFacts& gpu) {
  try {
    if (auto why = spec::why_not_on(kernel, problem, gpu)) return why;
    if (auto why = kernel.space.why_illegal(spec::base_scope(kernel, problem, gpu), config)) return why;
    for (const Step& step : spec::resolve(kernel, problem, config, gpu).steps)
      if (auto why = why_not_launchable(step, gpu)) return why;
  } catch (const UserError& error) {
    return error.what();
  }
  return std::nullopt;
}

std::optional<Config> legal_default(const spec::KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu) {
  const auto config = spec::default_config(kernel, problem, gpu);
  if (!config || why_illegal(kernel, problem, *config, gpu)) return std::nullopt;
  return config;
}

store::KernelHashes hashes_of(const spec::KernelSpec& kernel) {
  try {
    return {compile::closure_hash(kernel), compile::manifest_hash(kernel), spec::objective_text(kernel)};
  } catch (const UserError&) {
    return {};  // its source is gone: nothing can be said
  }
}

}  // namespace

store::KernelKnowledge knowledge_of(const spec::Catalog& catalog, const std::string& regime) {
  const auto at = [&catalog, regime](const std::string& kernel) -> const spec::KernelSpec& {
    return spec::launched_in(catalog.at(kernel, "--kernel"), regime);
  };
  store::KernelKnowledge knowledge;
  knowledge.kernels = [&catalog] { return catalog.names(); };
  knowledge.dims = [&catalog](const std::string& kernel) {
    const spec::KernelSpec* spec = catalog.find(kernel);
    return spec == nullptr ? 0 : spec->dims.size();
  };
  knowledge.problem = [at](const std::string& kernel, const std::vector<std::int64_t>& dims, const Facts& given) {
    return spec::make_problem(at(kernel), dims, given, "--set");
  };
  knowledge.why_illegal = [at](const Problem& problem, const Config& config, const GpuFacts& gpu) {
    return why_illegal(at(problem.kernel), problem, config, gpu);
  };
  knowledge.default_config = [at](const Problem& problem, const GpuFacts& gpu) {
    return legal_default(at(problem.kernel), problem, gpu);
  };
  knowledge.steps = [at](const Problem& problem, const Config& config, const GpuFacts& gpu) {
    return spec::resolve(at(problem.kernel), problem, config, gpu).steps;
  };
  knowledge.deterministic = [at](const Problem& problem, const Config& config, const GpuFacts& gpu) {
    return spec::deterministic(at(problem.kernel), problem, config, gpu);
  };
  knowledge.hashes = [&catalog, known = std::map<std::string, store::KernelHashes>()](
                         const std::string& kernel) mutable -> store::KernelHashes {
    if (const auto found = known.find(kernel); found != known.end()) return found->second;
    const spec::KernelSpec* spec = catalog.find(kernel);
    return known[kernel] = spec == nullptr ? store::KernelHashes{} : hashes_of(*spec);
  };
  return knowledge;
}

}  // namespace tuner::exporting
