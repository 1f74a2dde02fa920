// A gemv's manifest, in code: facts with a default that follows the shape, one constraint, two defaults.
#pragma once

#include "core/error.h"
#include "store/lookup.h"

namespace tuner::store::test {

inline KernelKnowledge gemv_knowledge() {
  KernelKnowledge k;
  k.kernels = [] { return std::vector<std::string>{"gemv_f16", "gemv_f32", "softmax"}; };
  k.dims = [](const std::string& kernel) -> std::size_t {
    if (kernel == "softmax") return 1;
    return kernel == "gemv_f16" || kernel == "gemv_f32" ? 2 : 0;
  };
  k.problem = [](const std::string& kernel, const std::vector<std::int64_t>& dims, const Facts& given) {
    Problem problem{kernel, dims, {}};
    if (kernel != "softmax")
      problem.facts = {{"batch", std::int64_t{1}}, {"row_stride", dims.back()}, {"y", Name{"f16"}}};
    for (const auto& [name, value] : given) {
      bool known = false;
      for (auto& [other, current] : problem.facts)
        if (other == name) {
          current = value;
          known = true;
        }
      if (!known) throw UserError("unknown fact '" + name + "'");
    }
    return problem;
  };
  // Blocks of 512 are for more than 1000 rows.
  k.why_illegal = [](const Problem& problem, const Config& config, const GpuFacts&) -> std::optional<std::string> {
    const Value* block = config.find("block_size");
    if (block != nullptr && *block == Value(std::int64_t{512}) && problem.dims[0] <= 1000) return "too few rows";
    return std::nullopt;
  };
  k.default_config = [](const Problem&, const GpuFacts&) -> std::optional<Config> {
    return Config{{{"variant", Name{"naive"}}, {"block_size", std::int64_t{64}}}};
  };
  k.steps = [](const Problem& problem, const Config&, const GpuFacts&) {
    Step step;
    step.entry = "gemv";
    step.grid.x = problem.dims[0];
    return std::vector<Step>{step};
  };
  return k;
}

}  // namespace tuner::store::test
