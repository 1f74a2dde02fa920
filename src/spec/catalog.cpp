#include "spec/catalog.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/suggest.h"

namespace tuner::spec {
namespace {

std::vector<std::string> manifests_in(const std::string& folder) {
  std::error_code fault;
  if (!std::filesystem::is_directory(folder, fault)) throw UserError("no such folder of kernels", folder);
  std::vector<std::string> paths;
  std::filesystem::directory_iterator files(folder, fault);
  if (fault) throw UserError("cannot read the folder: " + fault.message(), folder);
  for (const auto& file : files)
    if (file.path().extension() == ".yaml") paths.push_back(file.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

Catalog Catalog::load(const std::vector<std::string>& folders) {
  Catalog catalog;
  for (const std::string& folder : folders) {
    for (const std::string& path : manifests_in(folder)) {
      KernelSpec kernel = read_kernel(path);
      const KernelSpec* other = catalog.find(kernel.name);
      if (other != nullptr && other->path == kernel.path) continue;  // the folder is named twice
      if (other != nullptr)
        throw UserError("two manifests are named '" + kernel.name + "': " + other->path + " and " + kernel.path, path,
                        "give one of them another 'kernel'");
      catalog.kernels_.push_back(std::move(kernel));
    }
  }
  return catalog;
}

const KernelSpec* Catalog::find(std::string_view kernel) const {
  for (const KernelSpec& k : kernels_)
    if (k.name == kernel) return &k;
  return nullptr;
}

const KernelSpec& Catalog::at(std::string_view kernel, std::string_view where) const {
  if (const KernelSpec* found = find(kernel)) return *found;
  throw UserError("unknown kernel '" + std::string(kernel) + "'", std::string(where), did_you_mean(kernel, names()));
}

std::vector<std::string> Catalog::names() const {
  std::vector<std::string> names;
  for (const KernelSpec& kernel : kernels_) names.push_back(kernel.name);
  return names;
}

}  // namespace tuner::spec
