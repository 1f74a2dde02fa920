#include "tune/compile_queue.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>

namespace tuner::tune {
namespace {

constexpr std::chrono::milliseconds between_looks{50};  // at whether a stop has come

bool same_target(const compile::CompileOptions& a, const compile::CompileOptions& b) {
  return a.arch == b.arch && a.nvrtc.path == b.nvrtc.path && a.nvcc.path == b.nvcc.path;
}

}  // namespace

std::size_t CompileQueue::at_once(const compile::CompileOptions& options) {
  return 2 * static_cast<std::size_t>(compile::jobs_of(options));
}

CompileQueue::~CompileQueue() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool CompileQueue::is_to_stop() const {
  const std::lock_guard lock(mutex_);
  return closing_;
}

CompileQueue::Target CompileQueue::target(const compile::CompileOptions& options) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(targets_.begin(), targets_.end(),
                                  [&](const compile::CompileOptions& each) { return same_target(each, options); });
  const auto at = static_cast<Target>(known - targets_.begin());
  if (known == targets_.end()) targets_.push_back(options);
  return at;
}

void CompileQueue::add(Target target, const std::vector<compile::Source>& sources) {
  for (const compile::Source& source : sources)
    if (known_.emplace(target, source.hash).second) waiting_.push_back({target, source});
  if (!waiting_.empty() && !thread_.joinable()) thread_ = std::thread([this] { work(); });
}

void CompileQueue::start(Target target, const std::vector<compile::Source>& sources) {
  const std::lock_guard lock(mutex_);
  add(target, sources);
  changed_.notify_all();
}

std::size_t CompileQueue::count(Target target, const std::vector<compile::Source>& sources) const {
  return static_cast<std::size_t>(std::count_if(sources.begin(), sources.end(), [&](const auto& source) {
    return artifacts_.count({target, source.hash}) > 0;
  }));
}

void CompileQueue::wait(Target target, const std::vector<compile::Source>& sources,
                        const std::function<void(std::size_t, std::size_t)>& progress) {
  std::unique_lock lock(mutex_);
  std::unordered_set<std::string> hashes;
  for (const compile::Source& source : sources) hashes.insert(source.hash);
  add(target, sources);
  std::stable_partition(waiting_.begin(), waiting_.end(), [&](const Wanted& each) {
    return each.target == target && hashes.count(each.source.hash) > 0;
  });
  changed_.notify_all();
  for (std::size_t told = 0; told < sources.size();) {
    if (failure_) std::rethrow_exception(failure_);
    const std::size_t there = count(target, sources);
    if (there > told) {
      told = there;
      lock.unlock();
      progress(there, sources.size());
      lock.lock();
      continue;
    }
    if (targets_[target].stop && targets_[target].stop()) return;
    changed_.wait_for(lock, between_looks);
  }
}

bool CompileQueue::has(Target target, const std::string& source_hash) const {
  const std::lock_guard lock(mutex_);
  return artifacts_.count({target, source_hash}) > 0;
}

const Artifact& CompileQueue::at(Target target, const std::string& source_hash) const {
  const std::lock_guard lock(mutex_);
  return artifacts_.at({target, source_hash});
}

// Of one target.
std::vector<CompileQueue::Wanted> CompileQueue::next() {
  std::vector<Wanted> wanted;
  const Target target = waiting_.front().target;
  const std::size_t most = at_once(targets_[target]);
  for (auto at = waiting_.begin(); at != waiting_.end() && wanted.size() < most;) {
    if (at->target != target) {
      ++at;
      continue;
    }
    wanted.push_back(std::move(*at));
    at = waiting_.erase(at);
  }
  return wanted;
}

void CompileQueue::compile(const std::vector<Wanted>& wanted, const std::shared_ptr<proc::Crew>& crew) {
  const Target target = wanted.front().target;
  std::vector<compile::Source> sources;
  for (const Wanted& each : wanted) sources.push_back(each.source);
  compile::CompileOptions options;
  {
    const std::lock_guard lock(mutex_);
    options = targets_[target];
  }
  options.crew = crew;
  options.stop = [this, stop = options.stop] { return is_to_stop() || (stop && stop()); };
  compile::compile_all(sources, options, [&](std::size_t i, const Artifact& artifact) {
    const std::lock_guard lock(mutex_);
    artifacts_[{target, sources[i].hash}] = artifact;
    changed_.notify_all();
  });
}

void CompileQueue::work() {
  const std::shared_ptr<proc::Crew> crew = compile::compilers();
  for (;;) {
    std::vector<Wanted> wanted;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
      if (closing_) return;
      wanted = next();
    }
    try {
      compile(wanted, crew);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      waiting_.clear();
      changed_.notify_all();
      return;
    }
  }
}

}  // namespace tuner::tune
