// Every kernel manifest that can be found.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "spec/kernel_spec.h"

namespace tuner::spec {

// A manifest that cannot be used.
struct BrokenManifest {
  std::string kernel;  // the name that stands in it; may be empty
  std::string path;
  UserError fault;
};

class Catalog {
 public:
  // Every manifest among the *.yaml of each folder, in that order: sweep files and what has neither `tuner` nor
  // `kernel` are passed over. A broken one stops only what names its kernel. Two manifests with one name are a
  // UserError naming both files.
  static Catalog load(const std::vector<std::string>& folders);

  const KernelSpec* find(std::string_view kernel) const;
  // Throws UserError: the first fault of a broken manifest of that name, else with a "did you mean".
  const KernelSpec& at(std::string_view kernel, std::string_view where) const;
  const std::vector<KernelSpec>& kernels() const { return kernels_; }
  std::vector<std::string> names() const;
  const std::vector<BrokenManifest>& broken() const { return broken_; }

 private:
  std::vector<KernelSpec> kernels_;
  std::vector<BrokenManifest> broken_;
};

}  // namespace tuner::spec
