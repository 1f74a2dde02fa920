#include "tune/compile_queue.h"

#include <algorithm>
#include <chrono>
#include <unordered_set>

namespace tuner::tune {
namespace {

constexpr std::chrono::milliseconds between_looks{50};  // at whether a stop has come

}  // namespace

// What goes in front waits for what has begun: a few a CPU, so that the last of them leave no CPU idle for long.
CompileQueue::CompileQueue(compile::CompileOptions options) : options_(std::move(options)) {
  at_once_ = 2 * static_cast<std::size_t>(compile::jobs_of(options_));
  thread_ = std::thread([this] { work(); });
}

CompileQueue::~CompileQueue() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool CompileQueue::is_to_stop() const {
  const std::lock_guard lock(mutex_);
  return closing_;
}

void CompileQueue::start(const std::vector<compile::Source>& sources) {
  const std::lock_guard lock(mutex_);
  for (const compile::Source& source : sources)
    if (known_.insert(source.hash).second) waiting_.push_back(source);
  changed_.notify_all();
}

std::size_t CompileQueue::count(const std::vector<compile::Source>& sources) const {
  return static_cast<std::size_t>(std::count_if(
      sources.begin(), sources.end(), [this](const auto& source) { return artifacts_.count(source.hash) > 0; }));
}

void CompileQueue::wait(const std::vector<compile::Source>& sources,
                        const std::function<void(std::size_t, std::size_t)>& progress) {
  std::unique_lock lock(mutex_);
  std::unordered_set<std::string> wanted;
  for (const compile::Source& source : sources) {
    wanted.insert(source.hash);
    if (known_.insert(source.hash).second) waiting_.push_back(source);
  }
  std::stable_partition(waiting_.begin(), waiting_.end(),
                        [&](const compile::Source& source) { return wanted.count(source.hash) > 0; });
  changed_.notify_all();
  for (std::size_t told = 0; told < sources.size();) {
    if (failure_) std::rethrow_exception(failure_);
    const std::size_t there = count(sources);
    if (there > told) {
      told = there;
      lock.unlock();
      progress(there, sources.size());
      lock.lock();
      continue;
    }
    if (options_.stop && options_.stop()) return;
    changed_.wait_for(lock, between_looks);
  }
}

bool CompileQueue::has(const std::string& source_hash) const {
  const std::lock_guard lock(mutex_);
  return artifacts_.count(source_hash) > 0;
}

const Artifact& CompileQueue::at(const std::string& source_hash) const {
  const std::lock_guard lock(mutex_);
  return artifacts_.at(source_hash);
}

std::vector<compile::Source> CompileQueue::next() {
  std::vector<compile::Source> sources;
  while (!waiting_.empty() && sources.size() < at_once_) {
    sources.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return sources;
}

void CompileQueue::compile(const std::vector<compile::Source>& sources, const std::shared_ptr<proc::Crew>& crew) {
  compile::CompileOptions options = options_;
  options.crew = crew;
  options.stop = [this] { return is_to_stop() || (options_.stop && options_.stop()); };
  compile::compile_all(sources, options, [&](std::size_t i, const Artifact& artifact) {
    const std::lock_guard lock(mutex_);
    artifacts_[sources[i].hash] = artifact;
    changed_.notify_all();
  });
}

void CompileQueue::work() {
  const std::shared_ptr<proc::Crew> crew = compile::compilers();
  for (;;) {
    std::vector<compile::Source> sources;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
      if (closing_) return;
      sources = next();
    }
    try {
      compile(sources, crew);
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
