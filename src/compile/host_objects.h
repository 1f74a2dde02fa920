// Where the shared objects of the host build lie: beside the cubins where there is a cache, else in a folder that goes
// when this process ends.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "compile/cache.h"

namespace tuner::compile {

// A folder for what need not outlive this process: made at the first need, removed at exit.
const std::string& passing_folder();

class HostObjects {
 public:
  explicit HostObjects(const Cache* cache);

  std::string path_for(const std::string& hash) const;
  // Where the compiler writes before finish() puts it in place.
  static std::string unfinished(const std::string& path);
  // False when nothing was written.
  bool finish(const std::string& path);
  // Marks an object as used; false when it has gone.
  bool use(const std::string& path);
  // Whether the objects outlive this process.
  bool lasting() const { return lasting_; }

 private:
  void trim() const;

  std::string folder_;
  bool lasting_ = false;
  std::set<std::string> in_use_;  // never removed
};

// The objects in a cache's folder.
struct HostObjectFiles {
  std::int64_t count = 0;
  std::int64_t bytes = 0;
};
HostObjectFiles host_object_files(const std::string& cache_folder);
void clear_host_objects(const std::string& cache_folder);

}  // namespace tuner::compile
