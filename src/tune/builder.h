// Artifacts by source hash, so that a configuration is compiled once a sweep however many shapes and GPUs it serves.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "tune/compile_queue.h"
#include "tune/time_spent.h"

namespace tuner::tune {

// What was built by the host's compiler. Of several devices one builds at a time, with all processors; the next finds
// what it has built.
class HostBuilds {
 public:
  using Done = std::function<void(std::size_t built, std::size_t of)>;
  // Builds what is not there yet.
  void build(const std::vector<compile::Source>& sources, const compile::CompileOptions& options, const Done& done);
  const Artifact* find(const std::string& source_hash) const;  // null: not there; stays where it is

 private:
  std::vector<compile::Source> missing(const std::vector<compile::Source>& sources) const;

  std::mutex building_;
  mutable std::mutex mutex_;
  std::map<std::string, Artifact> artifacts_;
};

// What devices that are swept at once build together.
struct Builds {
  CompileQueue queue;
  HostBuilds host;
};

// Used by one device's thread.
class Builder {
 public:
  using Done = HostBuilds::Done;
  // What it waits for is booked in `spent`, where there is one. `shared`: of all devices of a sweep; null: its own.
  Builder(compile::CompileOptions options, bool host, TimeSpent* spent = nullptr,
          std::shared_ptr<Builds> shared = nullptr);

  // An artifact made elsewhere.
  void adopt(const std::string& source_hash, Artifact artifact) { adopted_[source_hash] = std::move(artifact); }
  // Begins to build what is not there yet, and goes on meanwhile; for a GPU only.
  void start(const std::vector<compile::Source>& sources);
  // Builds what is not there yet, before all that was only started.
  void build(const std::vector<compile::Source>& sources, const Done& done);
  const Artifact& at(const std::string& source_hash) const;
  // False where a stop came before it was built.
  bool has(const std::string& source_hash) const;
  bool host() const { return host_; }
  // Of so many none waits for long; all where they are built together.
  std::size_t at_once() const;

 private:
  std::vector<compile::Source> missing(const std::vector<compile::Source>& sources) const;

  compile::CompileOptions options_;
  bool host_;
  std::map<std::string, Artifact> adopted_;
  std::shared_ptr<Builds> builds_;
  CompileQueue::Target target_ = 0;
  TimeSpent* spent_;
};

}  // namespace tuner::tune
