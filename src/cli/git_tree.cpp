#include "cli/git_tree.h"

#include <charconv>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "proc/child.h"

namespace tuner::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t largest_file = std::int64_t{16} << 20;  // what is larger is data, not source
constexpr std::chrono::minutes deadline{2};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

struct Git {
  std::string folder;
  std::string index;  // a file; empty: the repository's own, which is then only read

  proc::Output run(std::vector<std::string> words, const std::string& input = {}) const {
    std::vector<std::string> argv{"git", "-C", folder};
    argv.insert(argv.end(), words.begin(), words.end());
    proc::Child::Options options;
    options.environment = {"GIT_LFS_SKIP_SMUDGE=1", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"};
    if (!index.empty()) options.environment.push_back("GIT_INDEX_FILE=" + index);
    try {
      return proc::run(argv, input, deadline, options);
    } catch (const MachineError& failure) {
      throw UserError("git cannot be run: " + std::string(failure.what()), "git", "install git, or name a folder");
    }
  }
};

[[noreturn]] void fail(const std::string& what, const std::string& where, const proc::Output& output) {
  std::string why = first_line(output.err);
  if (output.timed_out) why = "it did not end in time";
  throw UserError(what, where, why.empty() ? "" : "git says: " + why);
}

bool ended_well(const proc::Output& output) { return output.status.exited && output.status.code == 0; }

std::string answer(const Git& git, const std::vector<std::string>& words, const std::string& what,
                   const std::string& where) {
  const proc::Output output = git.run(words);
  if (!ended_well(output)) fail(what, where, output);
  return first_line(output.out);
}

// Of `ls-tree -r -l -z`: "MODE TYPE HASH SIZE\tPATH", each ended by a zero; those that are files and not large, in the
// same form without what is in front of the path.
std::string sources_among(const std::string& listing) {
  std::string paths;
  for (std::size_t at = 0; at < listing.size();) {
    const std::size_t end = std::min(listing.find('\0', at), listing.size());
    const std::string_view entry = std::string_view(listing).substr(at, end - at);
    at = end + 1;
    const std::size_t tab = entry.find('\t');
    if (tab == std::string_view::npos || entry.find(" blob ") > tab) continue;
    const std::string_view size_text = entry.substr(0, tab).substr(entry.substr(0, tab).rfind(' ') + 1);
    std::int64_t size = 0;
    std::from_chars(size_text.data(), size_text.data() + size_text.size(), size);
    if (size > largest_file) continue;
    paths += entry.substr(tab + 1);
    paths += '\0';
  }
  return paths;
}

}  // namespace

GitTree::GitTree(const std::string& folder, const std::string& ref) {
  const std::string where = "git:" + ref;
  Git git{folder, {}};
  top_ = answer(git, {"rev-parse", "--show-toplevel"}, "'" + folder + "' lies in no git repository", where);
  git.folder = top_;
  const std::string commit = answer(git, {"rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}"},
                                    "'" + ref + "' is no commit of " + top_, where);
  commit_ = commit.substr(0, 12);
  files_ = std::make_unique<TempFolder>("git");
  const proc::Output listing = git.run({"ls-tree", "-r", "-l", "-z", "--full-tree", commit});
  if (!ended_well(listing)) fail("the files of " + commit_ + " cannot be listed", where, listing);
  git.index = files_->path() + "/index";
  const proc::Output read = git.run({"read-tree", commit});
  if (!ended_well(read)) fail("the files of " + commit_ + " cannot be read", where, read);
  const proc::Output written =
      git.run({"checkout-index", "-z", "--stdin", "--prefix=" + files_->path() + "/tree/"}, sources_among(listing.out));
  if (!ended_well(written)) fail("the files of " + commit_ + " cannot be written", where, written);
}

std::string GitTree::path_of(const std::string& path) const {
  std::error_code error;
  const fs::path inside = fs::relative(fs::canonical(path, error), fs::canonical(top_, error), error);
  return (fs::path(files_->path()) / "tree" / inside).lexically_normal().string();
}

}  // namespace tuner::cli
