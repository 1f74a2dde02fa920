#include "tune/check.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "compile/declaration.h"
#include "compile/occupancy.h"
#include "core/error.h"
#include "core/identifier.h"
#include "spec/metrics.h"
#include "tune/candidates.h"
#include "tune/memory.h"
#include "tune/verify_all.h"
#include "tune/workloads.h"

namespace tuner::tune {
namespace {

Config default_of(const spec::PlannedProblem& planned, const GpuFacts& gpu) {
  check_space(planned, gpu);
  if (auto config = spec::default_config(*planned.kernel, planned.problem, gpu)) return *config;
  const auto first = planned.kernel->space.complete(spec::base_scope(*planned.kernel, planned.problem, gpu), {});
  if (!first) throw UserError("no configuration is legal", planned.kernel->path);
  return *first;
}

std::string source_text(const spec::KernelSpec& kernel) {
  std::ifstream file(kernel.source_path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string declared_as(const std::optional<compile::Declaration>& declaration, std::size_t index) {
  if (!declaration || index >= declaration->parameters.size()) return {};
  const compile::DeclaredParameter& parameter = declaration->parameters[index];
  return fmt::format(" ('{}{}{}')", parameter.type, parameter.type.back() == '*' ? "" : " ", parameter.name);
}

std::string count_text(std::size_t n) { return fmt::format("{} argument{}", n, n == 1 ? "" : "s"); }

// Of one launch.
std::vector<std::string> mismatches_of(const Step& step, const std::vector<Argument>& arguments,
                                       const std::vector<int>& parameters, const std::string& source) {
  std::vector<const Argument*> passed;
  for (const Argument& argument : arguments)
    if (takes(step, argument)) passed.push_back(&argument);
  if (!step.arguments.empty())
    std::sort(passed.begin(), passed.end(), [&](const Argument* a, const Argument* b) {
      const auto place = [&](const Argument* each) {
        return std::find(step.arguments.begin(), step.arguments.end(), each->name);
      };
      return place(a) < place(b);
    });
  const std::string name = step.entry.substr(0, step.entry.find('<'));
  const auto declaration = compile::declaration_of(source, unqualified(name));
  std::vector<std::string> all;
  if (passed.size() != parameters.size())
    all.push_back(
        fmt::format("'{}' takes {}, the manifest gives {}", name, count_text(parameters.size()), passed.size()));
  for (std::size_t i = 0; i < std::min(passed.size(), parameters.size()); ++i)
    if (passed[i]->parameter_bytes() != parameters[i])
      all.push_back(fmt::format("argument {} of '{}': '{}' has {} bytes in the manifest, the kernel takes {}{}", i + 1,
                                name, passed[i]->name, passed[i]->parameter_bytes(), parameters[i],
                                declared_as(declaration, i)));
  return all;
}

void compare(GpuCompile& compiled, const std::string& source) {
  for (const Step& step : compiled.execution.steps) {
    const KernelAttributes* kernel = step.kind == Step::Kind::launch ? compiled.artifact.find(step.entry) : nullptr;
    if (kernel == nullptr) continue;
    for (const std::string& each : mismatches_of(step, compiled.execution.arguments, kernel->parameter_bytes, source))
      if (std::find(compiled.mismatches.begin(), compiled.mismatches.end(), each) == compiled.mismatches.end())
        compiled.mismatches.push_back(each);
  }
}

// The oldest architecture the kernel runs on.
std::optional<GpuFacts> gpu_for(const spec::PlannedProblem& planned) {
  for (const int arch : {75, 80, 86, 89, 90, 100, 120}) {
    const GpuFacts gpu = gpu_of_arch(arch);
    if (spec::why_not_on(*planned.kernel, planned.problem, gpu)) continue;
    if (spec::default_config(*planned.kernel, planned.problem, gpu) ||
        planned.kernel->space.complete(spec::base_scope(*planned.kernel, planned.problem, gpu), {}))
      return gpu;
  }
  return std::nullopt;
}

// 64 per dimension of a cube and so on: a thousand to a hundred thousand elements.
std::vector<std::vector<std::int64_t>> round_shapes(std::size_t dims) {
  if (dims == 1) return {{100000}, {65536}};
  if (dims == 2) return {{256, 256}, {1024, 1024}};
  const std::int64_t side = dims == 3 ? 64 : 8;
  return {std::vector<std::int64_t>(dims, side), std::vector<std::int64_t>(dims, 2 * side)};
}

}  // namespace

std::optional<GpuCompile> compile_for_gpu(const spec::PlannedProblem& planned, const SweepOptions& options,
                                          compile::Cache& cache) {
  const std::optional<GpuFacts> gpu = gpu_for(planned);
  if (!gpu) return std::nullopt;
  GpuCompile result;
  compile::CompileOptions compiling;
  if (planned.kernel->nvcc)
    compiling.nvcc = compile::choose_nvcc();
  else
    compiling.nvrtc = compile::choose_nvrtc(options.nvrtc, gpu->arch, 0);
  compiling.arch = arch_text(gpu->arch);
  compiling.cache = &cache;
  compiling.stop = options.stop;
  result.compiler = planned.kernel->nvcc ? "nvcc " + compiling.nvcc.version : compiling.nvrtc.version;
  result.arch = gpu->arch;
  const Config config = default_of(planned, *gpu);
  result.execution = spec::resolve(*planned.kernel, planned.problem, config, *gpu);
  std::vector<compile::Source> sources = {compile::render(*planned.kernel, config, planned.problem, *gpu)};
  if (planned.kernel->reference.kind == ReferencePlan::Kind::kernel)
    sources.push_back(compile::render_reference(*planned.kernel));
  compile::compile_all(sources, compiling, [&](std::size_t i, const Artifact& artifact) {
    if (i == 0) result.artifact = artifact;
    if (i == 1 && !artifact.ok()) result.reference_log = artifact.log;
  });
  if (result.artifact.ok()) compare(result, source_text(*planned.kernel));
  return result;
}

Check check(const spec::PlannedProblem& planned, const SweepOptions& options, compile::Cache& cache,
            Observer& observer) {
  Check result;
  result.problem = planned.problem;
  spec::SweepPlan plan;
  plan.problems = {planned};
  CandidateSet set;
  Session session = open_session(options, cache, observer, [&](const GpuFacts& gpu) {
    refuse_too_large(plan, gpu, options.device == "host");
    set = enumerate(planned, gpu);
    result.config = default_of(planned, gpu);
  });
  for (const std::string& line : unused_lines(*planned.kernel)) observer.on_warning(line);
  result.gpu = session.gpu();
  result.emulated = session.emulated();
  result.compiler = session.facts.nvrtc;
  result.metrics = spec::metrics_of(*planned.kernel, planned.problem, result.config, result.gpu, 1);
  result.configs = static_cast<std::int64_t>(set.all.size());
  result.excluded = set.excluded;
  result.judged = planned.kernel->reference.kind != ReferencePlan::Kind::none;
  result.awkward_all = set.awkward.size();
  result.files = spec::of_one_size(*planned.kernel, planned.problem);
  Candidate candidate = candidate_of(planned, result.config, set, result.gpu);
  const compile::Source source = compile::render(*planned.kernel, result.config, planned.problem, result.gpu);
  candidate.source_hash = source.hash;
  session.builder->build({source}, [](std::size_t, std::size_t) {});
  if (!session.builder->has(source.hash)) throw Interrupted();
  const Artifact& artifact = session.builder->at(source.hash);
  if (!artifact.ok()) {
    result.verdict = {artifact.reason, artifact.log};
    return result;
  }
  if (!result.emulated)
    if (const auto fault = compile::cannot_run(artifact, candidate.execution, result.gpu)) {
      result.verdict = *fault;
      return result;
    }
  forget_too_large(candidate, artifact, result.gpu);
  result.awkward = candidate.awkward.size();
  set_workloads(planned, set, workload_of(planned, session), false, session);
  result.verdict = verify_one(candidate, 0, session);
  if (result.verdict.exact_only) result.verdict.reason = Reason::exact_only;
  return result;
}

Problem example_problem(const spec::KernelSpec& kernel, const Facts& facts) {
  std::vector<std::vector<std::int64_t>> shapes = round_shapes(kernel.dims.size());
  shapes.insert(shapes.end(), kernel.awkward.begin(), kernel.awkward.end());
  std::optional<UserError> first;
  for (const auto& dims : shapes) {
    try {
      const Problem problem = spec::make_problem(kernel, dims, facts, facts.empty() ? "" : "--set");
      if (gpu_for({&kernel, problem, {}})) return problem;
    } catch (const UserError& fault) {
      if (!first) first = fault;
    }
  }
  if (first) throw UserError(*first);
  throw UserError("no configuration is legal at any of the shapes that were tried", kernel.path,
                  "name a shape with --shape");
}

}  // namespace tuner::tune
