// The headers that a compiler reads by itself from the folders that a manifest names: what a hash must know of them.
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "compile/includes.h"
#include "core/hash.h"

namespace tuner::compile {
namespace {

namespace fs = std::filesystem;

struct OutsideHeader {
  fs::file_time_type changed;
  std::uintmax_t bytes = 0;
  std::string hash;
  std::vector<std::string> quoted;
  std::vector<std::string> angled;
};

std::vector<std::string> names_of(const std::vector<IncludeLine>& includes) {
  std::vector<std::string> names;
  for (const auto& one : includes) names.push_back(one.name);
  return names;
}

OutsideHeader read_header(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, OutsideHeader> known;
  std::error_code error;
  const auto changed = fs::last_write_time(path, error);
  const auto bytes = fs::file_size(path, error);
  const std::lock_guard lock(mutex);
  const auto found = known.find(path);
  if (!error && found != known.end() && found->second.changed == changed && found->second.bytes == bytes)
    return found->second;
  std::ostringstream stream;
  stream << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string text = stream.str();
  OutsideHeader header{changed, bytes, content_hash(text), names_of(includes_of(text)),
                       names_of(angle_includes_of(text))};
  known[path] = header;
  return header;
}

class OutsideClosure {
 public:
  explicit OutsideClosure(const std::vector<std::string>& folders) : folders_(folders) {}

  void add(const std::vector<std::string>& names, const std::string& beside) {
    for (const auto& name : names) {
      std::string path = beside.empty() ? std::string() : find_include(name, {beside});
      if (path.empty()) path = find_include(name, folders_);
      if (path.empty() || !seen_.insert(fs::path(path).lexically_normal().string()).second) continue;
      const OutsideHeader header = read_header(path);
      all += name + " " + header.hash + "\n";
      add(header.angled, {});
      add(header.quoted, fs::path(path).parent_path().string());
    }
  }
  std::string all;

 private:
  const std::vector<std::string>& folders_;
  std::set<std::string> seen_;
};

}  // namespace

std::string outside_hash(const std::vector<std::string_view>& texts, const std::vector<std::string>& outside) {
  if (outside.empty()) return {};
  OutsideClosure closure(outside);
  for (const auto text : texts) {
    closure.add(names_of(angle_includes_of(text)), {});
    closure.add(names_of(includes_of(text)), {});
  }
  return closure.all.empty() ? closure.all : content_hash(closure.all);
}

}  // namespace tuner::compile
