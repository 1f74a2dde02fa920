// The files of a git repository as they were at a commit.
#pragma once

#include <memory>
#include <string>

#include "cli/temp_folder.h"

namespace tuner::cli {

class GitTree {
 public:
  // Of the repository that `folder` lies in, at `ref`: a branch, a tag, a commit, HEAD~3. Files over 16 MiB, submodules
  // and what LFS holds are left out. The repository, its index and work tree stay as they are. Throws UserError where
  // there is no git, no repository or no such commit.
  GitTree(const std::string& folder, const std::string& ref);

  const std::string& commit() const { return commit_; }  // abbreviated
  // Where a file or folder of the work tree lies among the extracted ones; whether it is there, nobody says.
  std::string path_of(const std::string& path) const;

 private:
  std::string top_;  // of the work tree
  std::string commit_;
  std::unique_ptr<TempFolder> files_;
};

}  // namespace tuner::cli
