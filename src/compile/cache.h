// Cubins on disk by the hash of everything that made them; the least recently used go when a limit is passed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/artifact.h"

namespace tuner::compile {

class Cache {
 public:
  // Made when it does not exist; where it cannot be written the cache is read-only, and says so once.
  explicit Cache(std::string folder, std::int64_t limit_bytes = std::int64_t{1} << 30);

  // Damaged or foreign entries are misses. A hit marks the entry as used.
  std::optional<Artifact> find(const std::string& key);
  // Atomic (temporary file, rename). Only good artifacts and compile errors are kept; never time-outs.
  void put(const std::string& key, const Artifact& artifact);

  std::int64_t bytes() const;
  std::int64_t entries() const;
  void clear();
  const std::string& folder() const { return folder_; }
  bool writable() const { return writable_; }

 private:
  void trim();
  std::string folder_;
  std::int64_t limit_bytes_;
  bool writable_ = false;
  std::int64_t since_trim_ = 0;
};

}  // namespace tuner::compile
