// Where the shared objects of the host build lie: beside the cubins where there is a cache, else in a folder that goes
// when this process ends.
#pragma once

#include <set>
#include <string>

#include "compile/cache.h"

namespace tuner::compile {

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

}  // namespace tuner::compile
