#include "spec/catalog.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

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

// What a file that cannot be read as a manifest is by the keys that begin its lines.
struct Kind {
  bool is_manifest = false;
  std::string kernel;
};

Kind kind_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  bool any = false, sweep = false, tuner = false, manifest = false;
  std::string kernel;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!any && line.rfind('{', 0) == 0) manifest = line.find("kernels") == std::string::npos;  // all in braces
    any = true;
    sweep |= line.rfind("kernels:", 0) == 0;
    tuner |= line.rfind("tuner:", 0) == 0;
    if (line.rfind("kernel:", 0) != 0) continue;
    manifest = true;
    const std::size_t begin = std::min(line.find_first_not_of(" '\"", 7), line.size());
    kernel = line.substr(begin, line.find_first_of(" '\"#", begin) - begin);
  }
  return {manifest || (tuner && !sweep) || !any, kernel};
}

}  // namespace

Catalog Catalog::load(const std::vector<std::string>& folders) {
  Catalog catalog;
  for (const std::string& folder : folders) {
    for (const std::string& path : manifests_in(folder)) {
      std::optional<KernelSpec> read;
      try {
        read = read_kernel(path);
      } catch (const UserError& fault) {
        Kind kind = kind_of(path);
        const bool again = std::any_of(catalog.broken_.begin(), catalog.broken_.end(),
                                       [&](const BrokenManifest& broken) { return broken.path == path; });
        if (kind.is_manifest && !again) catalog.broken_.push_back({std::move(kind.kernel), path, fault});
        continue;
      }
      KernelSpec& kernel = *read;
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
  for (const BrokenManifest& broken : broken_)
    if (broken.kernel == kernel) throw UserError(broken.fault);
  throw UserError("unknown kernel '" + std::string(kernel) + "'", std::string(where), did_you_mean(kernel, names()));
}

std::vector<std::string> Catalog::names() const {
  std::vector<std::string> names;
  for (const KernelSpec& kernel : kernels_) names.push_back(kernel.name);
  return names;
}

}  // namespace tuner::spec
