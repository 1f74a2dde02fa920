#include "tune/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "compile/compile_log.h"
#include "compile/occupancy.h"
#include "compile/unused_params.h"
#include "core/error.h"
#include "core/hash.h"

namespace tuner::tune {
namespace {

[[noreturn]] void refuse_empty(const spec::PlannedProblem& planned, const space::Scope& scope) {
  const auto by_text = planned.kernel->space.exclusions(scope, planned.only);
  std::vector<std::pair<std::string, std::int64_t>> excluded(by_text.begin(), by_text.end());
  std::stable_sort(excluded.begin(), excluded.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [constraint, count] : excluded)
    text += (text.empty() ? "" : "; ") + constraint + " (" + std::to_string(count) + ")";
  if (text.empty()) text = "the values asked for";
  throw UserError("these constraints left nothing: " + text,
                  planned.kernel->name + " " + shape_text(planned.problem.dims),
                  "widen `params` in the sweep, or the manifest's values: " + planned.kernel->path);
}

// The awkward problems on which this configuration is legal, as cases; workloads are shared by index.
std::vector<worker::Case> awkward_cases(const spec::KernelSpec& kernel, const std::vector<spec::Awkward>& problems,
                                        const Config& config, const GpuFacts& gpu) {
  std::vector<worker::Case> cases;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const Problem& problem = problems[i].problem;
    if (kernel.space.why_illegal(spec::base_scope(kernel, problem, gpu), config)) continue;
    cases.push_back({static_cast<int>(i) + 1, spec::resolve(kernel, problem, config, gpu),
                     spec::chain_of(kernel, problem, config, gpu), spec::deterministic(kernel, problem, config, gpu)});
  }
  return cases;
}

}  // namespace

Candidate candidate_of(const spec::PlannedProblem& planned, const Config& config, const CandidateSet& set,
                       const GpuFacts& gpu) {
  const spec::KernelSpec& kernel = *planned.kernel;
  const Problem& problem = planned.problem;
  Candidate candidate;
  candidate.trial.problem = problem;
  candidate.trial.regime = kernel.regime;
  candidate.trial.config = config;
  candidate.execution = spec::resolve(kernel, problem, config, gpu);
  candidate.trial.steps = candidate.execution.steps;
  candidate.chain = spec::chain_of(kernel, problem, config, gpu);
  candidate.deterministic = spec::deterministic(kernel, problem, config, gpu);
  candidate.trial.deterministic = candidate.deterministic;
  candidate.awkward = awkward_cases(kernel, set.awkward_problems, config, gpu);
  return candidate;
}

void check_space(const spec::PlannedProblem& planned, const GpuFacts& gpu) {
  const spec::KernelSpec& kernel = *planned.kernel;
  if (const auto why = spec::why_not_on(kernel, planned.problem, gpu))
    throw UserError(kernel.name + " cannot run on " + gpu.name + ": " + *why, kernel.path);
  const auto scope = spec::base_scope(kernel, planned.problem, gpu);
  bool any = false;
  kernel.space.for_each(scope, planned.only, [&any](const Config&) { return !(any = true); });
  if (!any) refuse_empty(planned, scope);
}

CandidateSet without_candidates(const spec::PlannedProblem& planned, const GpuFacts& gpu) {
  const spec::KernelSpec& kernel = *planned.kernel;
  check_space(planned, gpu);
  CandidateSet set;
  auto awkward = spec::awkward_problems(kernel, planned.problem);
  // A kernel may exclude whole kinds of problems: padded rows, say.
  awkward.erase(std::remove_if(awkward.begin(), awkward.end(),
                               [&](const spec::Awkward& each) {
                                 return !kernel.space.complete(spec::base_scope(kernel, each.problem, gpu), {});
                               }),
                awkward.end());
  for (const auto& each : awkward) {
    set.awkward.push_back(spec::workload_of(kernel, each.problem, gpu));
    set.awkward.back().misalign_elements = each.misalign_elements;
  }
  set.awkward_problems = std::move(awkward);
  return set;
}

CandidateSet enumerate(const spec::PlannedProblem& planned, const GpuFacts& gpu) {
  const spec::KernelSpec& kernel = *planned.kernel;
  const Problem& problem = planned.problem;
  CandidateSet set = without_candidates(planned, gpu);
  const auto scope = spec::base_scope(kernel, problem, gpu);
  for (const Config& config : planned.exactly) include(set, planned, config, gpu);
  if (!planned.exactly.empty()) return set;
  set.excluded = kernel.space.exclusions(scope, planned.only);
  const auto standard = spec::default_config(kernel, problem, gpu);
  kernel.space.for_each(scope, planned.only, [&](const Config& config) {
    set.all.push_back(candidate_of(planned, config, set, gpu));
    set.all.back().trial.is_default = standard && *standard == config;
    return true;
  });
  return set;
}

std::vector<std::string> unused_lines(const spec::KernelSpec& kernel) {
  std::vector<std::string> lines, unused;
  try {
    unused = compile::unused_params(kernel);
  } catch (const UserError&) {
    return lines;
  }
  for (const std::string& name : unused) {
    const auto param = std::find_if(kernel.space.params.begin(), kernel.space.params.end(),
                                    [&](const space::Param& each) { return each.name == name; });
    lines.push_back("the parameter '" + name + "' of " + kernel.name +
                    " changes nothing: neither source nor manifest " + "uses it, and its values make the sweep " +
                    std::to_string(param->values.size()) + " times as long");
  }
  return lines;
}

int include(CandidateSet& set, const spec::PlannedProblem& planned, const Config& config, const GpuFacts& gpu) {
  const auto same = [&](const Candidate& candidate) { return candidate.trial.config == config; };
  auto found = std::find_if(set.all.begin(), set.all.end(), same);
  if (found == set.all.end()) {
    set.all.push_back(candidate_of(planned, config, set, gpu));
    found = std::prev(set.all.end());
    const auto standard = spec::default_config(*planned.kernel, planned.problem, gpu);
    found->trial.is_default = standard && *standard == config;
  }
  return static_cast<int>(found - set.all.begin());
}

std::vector<compile::Source> render_all(const spec::PlannedProblem& planned, const CandidateSet& set,
                                        const GpuFacts& gpu) {
  std::vector<compile::Source> sources;
  sources.reserve(set.all.size());
  for (const auto& candidate : set.all)
    sources.push_back(compile::render(*planned.kernel, candidate.trial.config, planned.problem, gpu));
  return sources;
}

void reject(Candidate& candidate, const Verdict& verdict) {
  candidate.trial.status = Status::rejected;
  candidate.trial.reason = verdict.reason;
  candidate.trial.detail = verdict.detail;
}

bool is_default(const CandidateSet& set, int index) {
  for (std::size_t i = 0; i < set.all.size(); ++i)
    if (set.all[i].trial.is_default) return static_cast<int>(i) == index || set.all[i].original == index;
  return false;
}

std::vector<int> all_of(const CandidateSet& set) {
  std::vector<int> all(set.all.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::string lonely_line(const CandidateSet& set, const spec::PlannedProblem& planned, std::int64_t lonely) {
  if (set.awkward.empty()) {
    const std::vector<std::string> files = spec::of_one_size(*planned.kernel, planned.problem);
    if (files.empty()) return {};
    return fmt::format(
        "all are verified at {} alone: the file of {} has one size, which the awkward shapes have not; a fill that is "
        "no file tries tails as well",
        shape_text(planned.problem.dims), fmt::join(files, ", "));
  }
  if (lonely == 0) return {};
  return fmt::format(
      "{} of {} configurations are legal at none of the {} awkward shapes and are verified at the "
      "problem's own alone: name shapes that a tile does not divide and they allow ('awkward')",
      lonely, set.all.size(), set.awkward.size());
}

void forget_too_large(Candidate& candidate, const Artifact& artifact, const GpuFacts& gpu) {
  std::erase_if(candidate.awkward, [&](const worker::Case& each) {
    return compile::not_at_once(artifact, each.execution, gpu).has_value();
  });
}

void judge_artifacts(CandidateSet& set, std::size_t end, const Builder& builder, const GpuFacts& gpu) {
  std::map<std::string, int> seen;  // binary and launch -> first candidate
  for (std::size_t i = 0; i < end; ++i) {
    Candidate& candidate = set.all[i];
    Trial& trial = candidate.trial;
    if (candidate.built) {
      if (!candidate.identity.empty()) seen.emplace(candidate.identity, static_cast<int>(i));
      continue;
    }
    if (trial.reason != Reason::none) continue;
    trial.source_hash = candidate.source_hash;
    if (!builder.has(candidate.source_hash)) continue;  // a stop came before
    const Artifact& artifact = builder.at(candidate.source_hash);
    trial.cubin_hash = artifact.cubin_hash;
    trial.log = artifact.log;
    trial.seconds = artifact.compile_ms / 1e3;
    trial.spill_bytes = artifact.spill_bytes;
    for (const auto& kernel : artifact.kernels) {
      trial.registers = std::max(trial.registers, kernel.registers);
      trial.static_shared_bytes = std::max(trial.static_shared_bytes, kernel.static_shared_bytes);
    }
    std::optional<Verdict> fault;
    if (!artifact.ok()) {
      fault = Verdict{artifact.reason, std::string(compile::told_line(artifact.log))};
    } else {
      fault = compile::cannot_run(artifact, candidate.execution, gpu);
      forget_too_large(candidate, artifact, gpu);
    }
    if (fault) {
      reject(candidate, *fault);
      continue;
    }
    candidate.built = true;
    if (artifact.cubin_hash.empty()) continue;
    candidate.identity = content_hash(artifact.cubin_hash + to_json(candidate.execution));
    const auto [first, fresh] = seen.emplace(candidate.identity, static_cast<int>(i));
    if (fresh) continue;
    candidate.original = first->second;
    trial.status = Status::duplicate;
  }
}

}  // namespace tuner::tune
