// Every kernel manifest that can be found.
#pragma once

#include <string>
#include <vector>

#include "spec/kernel_spec.h"

namespace tuner::spec {

class Catalog {
 public:
  // Every *.yaml of each folder, in that order; two manifests with one name are a UserError naming both files.
  static Catalog load(const std::vector<std::string>& folders);

  const KernelSpec* find(std::string_view kernel) const;
  // Throws UserError with a "did you mean".
  const KernelSpec& at(std::string_view kernel, std::string_view where) const;
  const std::vector<KernelSpec>& kernels() const { return kernels_; }
  std::vector<std::string> names() const;

 private:
  std::vector<KernelSpec> kernels_;
};

}  // namespace tuner::spec
