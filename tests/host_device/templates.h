// A kernel's manifest at hand on the host device: configurations built and verified as a sweep would.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "measure/verify.h"
#include "spec/resolve.h"
#include "support.h"

namespace tuner::test {

class Templates {
 public:
  explicit Templates(const std::string& name, const std::string& folder = "kernel_templates",
                     const std::string& regime = "plain");

  Problem problem(const std::vector<std::int64_t>& dims, const Facts& facts = {}) const {
    return spec::make_problem(kernel, dims, facts, "test");
  }
  space::Scope scope(const Problem& problem) const { return spec::base_scope(kernel, problem, device->facts()); }

  // Built once for all problems: no dimension is in a source. In the order of `configs`.
  std::vector<Artifact> artifacts(const Problem& problem, const std::vector<Config>& configs);
  // In the order of `configs`; empty after a failure to build. `misalign`: elements that buffers are off a 256-byte
  // boundary, as far as `align` lets them.
  std::vector<Verdict> verdicts(const Problem& problem, const std::vector<Config>& configs, std::int64_t misalign = 0);
  void expect_right(const Problem& problem, const std::vector<Config>& configs, std::int64_t misalign = 0);

  const spec::KernelSpec kernel;
  const std::unique_ptr<device::Device> device;

 private:
  std::vector<compile::Source> build_all(const Problem& problem, const std::vector<Config>& configs);

  measure::PrepareOptions options_;
  std::map<std::string, Artifact> built_;  // by source
};

// The configurations of a kernel of tests/kernels, which differ in `fault`, in order: each with the reason that it must
// have.
void expect_rejections(const std::string& name, const std::vector<std::int64_t>& dims,
                       const std::vector<std::pair<std::string, Reason>>& reasons);

}  // namespace tuner::test
