#include "cli/stored_source.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/error.h"
#include "spec/kernel_spec.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<store::Store::Text>;

constexpr int most_tries = 256;  // combinations of versions

// A name from a database may come from anywhere: it must stay in its folder.
bool stays_inside(const std::string& name) {
  const fs::path path(name);
  if (name.empty() || path.is_absolute()) return false;
  for (const auto& part : path)
    if (part == "..") return false;
  return true;
}

// With a kernel whose files lie where it was read.
std::optional<StoredKernel> rendered(const std::string& manifest, const std::string& path,
                                     const std::string& source_path, const Trial& trial, const GpuFacts& gpu) {
  try {
    StoredKernel found;
    found.kernel = spec::launched_in(spec::parse_kernel(manifest, path), trial.regime);
    found.kernel.source_path = source_path;
    found.source = compile::render(found.kernel, trial.config, trial.problem, gpu);
    if (found.source.hash == trial.source_hash) return found;
  } catch (const UserError&) {
    // Texts of different times need not fit each other.
  }
  return std::nullopt;
}

// The versions of each header; every combination of them can be written, numbered from 0.
class Headers {
 public:
  explicit Headers(const Texts& texts) {
    for (const auto& text : texts)
      if (stays_inside(text.name)) versions_[text.name].push_back(text.body);
    for (const auto& [name, bodies] : versions_)
      combinations_ = std::min(combinations_ * bodies.size(), std::size_t{most_tries});
  }
  std::size_t combinations() const { return combinations_; }
  void write(const TempFolder& folder, std::size_t combination) const {
    for (const auto& [name, bodies] : versions_) {
      folder.write("include/" + name, bodies[combination % bodies.size()]);
      combination /= bodies.size();
    }
  }

 private:
  std::map<std::string, std::vector<std::string>> versions_;
  std::size_t combinations_ = 1;
};

}  // namespace

std::optional<StoredKernel> stored_kernel(const store::Store& store, const Trial& trial, const GpuFacts& gpu) {
  if (trial.source_hash.empty()) return std::nullopt;
  const Texts manifests = store.texts("manifest");
  const Texts templates = store.texts("template");
  const Headers headers(store.texts("header"));
  auto folder = std::make_unique<TempFolder>("source");
  int tries = 0;
  for (std::size_t combination = 0; combination < headers.combinations(); ++combination) {
    headers.write(*folder, combination);
    for (const auto& manifest : manifests) {
      if (manifest.name != trial.problem.kernel) continue;
      const std::string path = folder->write("kernel.yaml", manifest.body);
      for (const auto& source : templates) {
        if (!stays_inside(source.name) || manifest.body.find(source.name) == std::string::npos) continue;
        if (++tries > most_tries) return std::nullopt;
        auto found = rendered(manifest.body, path, folder->write(source.name, source.body), trial, gpu);
        if (!found) continue;
        found->folder = std::move(folder);
        return found;
      }
    }
  }
  return std::nullopt;
}

std::optional<compile::Source> stored_source(const store::Store& store, const Trial& trial, const GpuFacts& gpu) {
  if (auto found = stored_kernel(store, trial, gpu)) return std::move(found->source);
  return std::nullopt;
}

}  // namespace tuner::cli
