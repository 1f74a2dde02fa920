// A manifest with numbers in: problem, configuration and GPU turned into plain data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config.h"
#include "core/execution.h"
#include "core/gpu.h"
#include "core/problem.h"
#include "spec/kernel_spec.h"

namespace tuner::spec {

// The problem of `kernel` with these dims and every fact filled in: those in `given` (checked: known name, right kind
// of value; row_stride >= the last dim where the manifest has it), else the manifest's default. Throws UserError.
Problem make_problem(const KernelSpec& kernel, const std::vector<std::int64_t>& dims, const Facts& given,
                     std::string_view where);

// Dims, facts, lets, choices, types and the GPU's names; no parameters. `unknown_gpu` values are those of gpu_of_arch.
space::Scope base_scope(const KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu);

// Arguments and steps of one configuration. Throws UserError when an expression fails, a size is negative or a grid or
// block is not a positive integer.
Execution resolve(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu);

// The entries that this configuration launches, each once, in order: name expressions (Step::entry).
std::vector<std::string> entries_of(const KernelSpec& kernel, const Problem& problem, const Config& config,
                                    const GpuFacts& gpu);

// The function of a name expression: "reduce" of "reduce<256, float>".
std::string_view function_of(std::string_view entry);

// The scope of one configuration: base_scope and its parameters.
space::Scope config_scope(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu);

// The problem itself, for the worker: the arguments of the first legal configuration, reference and traffic.
Workload workload_of(const KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu);

// The first default of the manifest that is legal for this problem on this GPU.
std::optional<Config> default_config(const KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu);

// Longest chain of additions of this configuration, for the error bound; 0 when the manifest gives none.
std::int64_t chain_of(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu);
// Bytes of loads that a thread has in flight, at least; 0 when the manifest does not say.
std::int64_t bytes_in_flight(const KernelSpec& kernel, const Problem& problem, const Config& config,
                             const GpuFacts& gpu);
// Bytes that a block of the main launch reads and that are read again, by it or by a later launch; 0 as well.
std::int64_t reread(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu);
bool deterministic(const KernelSpec& kernel, const Problem& problem, const Config& config, const GpuFacts& gpu);

// Empty when the kernel can run there; else why: its `requires` is false or its `target` is another architecture.
std::optional<std::string> why_not_on(const KernelSpec& kernel, const Problem& problem, const GpuFacts& gpu);

// One argument in a scope that holds all that its size or value uses; its alignment is left at 1. Throws UserError when
// a size is negative or beyond 64 bits of bytes, or a value does not fit its type.
Argument argument_of(const ArgSpec& arg, const Problem& problem, const space::Scope& scope);

// Problems that no tile divides, small enough to check quickly, on which every candidate is verified beside its own:
// odd shapes, a row stride larger than the row, misaligned pointers (Workload::misalign_elements).
struct Awkward {
  Problem problem;
  std::int64_t misalign_elements = 0;
};
std::vector<Awkward> awkward_problems(const KernelSpec& kernel, const Problem& problem);
// What comes from files, which have one size, and would have another there: such problems are not among them.
std::vector<std::string> of_one_size(const KernelSpec& kernel, const Problem& problem);

}  // namespace tuner::spec
