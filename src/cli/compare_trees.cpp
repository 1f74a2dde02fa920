// The sides of `tuner compare` that are kernels in another source tree: `git:REF`, a manifest, a folder of them.
#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/compare_sides.h"
#include "cli/git_tree.h"
#include "core/error.h"
#include "core/suggest.h"
#include "spec/resolve.h"

namespace tuner::cli {
namespace {

namespace fs = std::filesystem;

class CodeSide : public Side {
 public:
  CodeSide(std::string title, const Known& known) : Side(std::move(title)), known_(known) {}

  Chosen choose(const Asked& asked) const override {
    const spec::KernelSpec* found = find(asked.problem.kernel);
    if (found == nullptr) return {title() + " has no kernel " + asked.problem.kernel, {}, {}, {}};
    const spec::KernelSpec& kernel = spec::in_regime(*found, asked.regime, title());
    Chosen chosen;
    chosen.problem = spec::make_problem(kernel, asked.problem.dims, shared_facts(kernel, asked.problem), title());
    if (const auto why = spec::why_not_on(kernel, chosen.problem, asked.gpu)) return {*why, {}, {}, {}};
    const Chosen best = best_choice(asked, known_);
    const auto scope = spec::base_scope(kernel, chosen.problem, asked.gpu);
    const auto standard = spec::default_config(kernel, chosen.problem, asked.gpu);
    const bool tuned = best.missing.empty() && best.origin != to_text(store::Match::by_default);
    if (tuned && !kernel.space.why_illegal(scope, best.config)) {
      chosen.config = best.config;
      chosen.origin = best.origin;
    } else if (standard) {
      chosen.config = *standard;
      chosen.origin = "the manifest's default";
    } else {
      chosen.missing = "no default of " + kernel.path + " is legal at " + name_of(chosen.problem);
    }
    return chosen;
  }

  const spec::KernelSpec& code(const Asked& asked, Chosen&) override {
    return spec::in_regime(*find(asked.problem.kernel), asked.regime, title());
  }

 protected:
  // Null: it has none of this name.
  virtual const spec::KernelSpec* find(const std::string& kernel) const = 0;
  const Known known_;

 private:
  static Facts shared_facts(const spec::KernelSpec& kernel, const Problem& like) {
    Facts facts;
    for (const auto& fact : like.facts)
      if (std::any_of(kernel.facts.begin(), kernel.facts.end(),
                      [&](const auto& own) { return own.first == fact.first; }))
        facts.push_back(fact);
    return facts;
  }
};

class PathSide : public CodeSide {
 public:
  PathSide(const std::string& path, const Known& known) : CodeSide(path, known) {
    std::error_code error;
    const fs::path inside = fs::path(path) / "kernel_templates";
    if (!fs::is_directory(path, error))
      one_ = spec::read_kernel(fs::absolute(path).string());
    else
      folder_ = spec::Catalog::load({fs::absolute(fs::is_directory(inside, error) ? inside : fs::path(path)).string()});
    if (!one_ && folder_.kernels().empty() && folder_.broken().empty())
      throw UserError("there is neither a manifest nor a results file in '" + path + "'", path);
  }

 protected:
  const spec::KernelSpec* find(const std::string& kernel) const override {
    if (one_) return one_->name == kernel ? &*one_ : nullptr;
    for (const spec::BrokenManifest& broken : folder_.broken())
      if (broken.kernel == kernel) throw UserError(broken.fault);
    return folder_.find(kernel);
  }

 private:
  std::optional<spec::KernelSpec> one_;
  spec::Catalog folder_;
};

// A kernel of today's catalog as it was: looked for by its name in the folder where its manifest lies today.
class GitSide : public CodeSide {
 public:
  GitSide(const std::string& ref, const Known& known) : CodeSide("git:" + ref, known), ref_(ref) {}

  std::string in_full() const override {
    return folders_.empty() ? title() : title() + " (" + folders_.begin()->second.tree->commit() + ")";
  }

 protected:
  const spec::KernelSpec* find(const std::string& kernel) const override {
    const spec::KernelSpec& today = known_.catalog.at(kernel, title());
    const std::string folder = fs::path(today.path).parent_path().string();
    auto at = folders_.find(folder);
    if (at == folders_.end()) at = folders_.emplace(folder, opened(folder)).first;
    for (const spec::BrokenManifest& broken : at->second.catalog.broken())
      if (broken.kernel == kernel) throw UserError(broken.fault);
    return at->second.catalog.find(kernel);
  }

 private:
  struct Folder {
    std::unique_ptr<GitTree> tree;
    spec::Catalog catalog;
  };
  Folder opened(const std::string& folder) const {
    Folder found{std::make_unique<GitTree>(folder, ref_), {}};
    const std::string there = found.tree->path_of(folder);
    std::error_code error;
    if (fs::is_directory(there, error)) found.catalog = spec::Catalog::load({there});
    return found;
  }

  std::string ref_;
  mutable std::map<std::string, Folder> folders_;  // by the folder of today
};

}  // namespace

std::unique_ptr<Side> git_side(const std::string& ref, const Known& known) {
  if (ref.empty()) throw UserError("git: of which commit?", "tuner compare", "git:main, git:HEAD~1, git:v1.2");
  return std::make_unique<GitSide>(ref, known);
}

std::unique_ptr<Side> path_side(const std::string& path, const Known& known) {
  return std::make_unique<PathSide>(path, known);
}

}  // namespace tuner::cli
