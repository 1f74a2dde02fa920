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

  // Without making it, and without a word where it cannot be written.
  static Cache look_at(std::string folder);

  // Damaged or foreign entries are misses. A hit marks the entry as used.
  std::optional<Artifact> find(const std::string& key);
  // Atomic (temporary file, rename). Only good artifacts and compile errors are kept; never time-outs.
  void put(const std::string& key, const Artifact& artifact);

  // Whether an entry is there; marks nothing as used and makes no folder.
  static bool holds(const std::string& folder, const std::string& key);

  std::int64_t bytes() const;
  std::int64_t entries() const;
  void clear();
  // Removes the least recently used until `bytes` hold them, and what unfinished writes have left for an hour.
  void trim_to(std::int64_t bytes);
  std::int64_t limit_bytes() const { return limit_bytes_; }
  // Files that unfinished writes have left for an hour; removed where `remove` says so.
  static std::int64_t leftovers(const std::string& folder, bool remove);
  const std::string& folder() const { return folder_; }
  bool writable() const { return writable_; }

 private:
  Cache() = default;
  void trim();
  std::string folder_;
  std::int64_t limit_bytes_ = std::int64_t{1} << 30;
  bool writable_ = false;
  std::int64_t since_trim_ = 0;
};

}  // namespace tuner::compile
