// Compiles on a thread of its own, so that the GPU does not wait for what could have been compiled meanwhile.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "compile/compiler.h"

namespace tuner::tune {

class CompileQueue {
 public:
  explicit CompileQueue(compile::CompileOptions options);
  // Compiles that are going on are ended.
  ~CompileQueue();
  CompileQueue(const CompileQueue&) = delete;
  CompileQueue& operator=(const CompileQueue&) = delete;

  // To be compiled when nothing is waited for. Sources whose hash is known are left out.
  void start(const std::vector<compile::Source>& sources);
  // Waits for these, which go before all others; tells how many of them there are by now, from this thread. Returns
  // early where a stop comes. Throws what compile_all() throws.
  void wait(const std::vector<compile::Source>& sources, const std::function<void(std::size_t, std::size_t)>& progress);

  bool has(const std::string& source_hash) const;
  // Stays where it is as long as this queue.
  const Artifact& at(const std::string& source_hash) const;

 private:
  void work();
  std::vector<compile::Source> next();  // the lock is held
  void compile(const std::vector<compile::Source>& sources, const std::shared_ptr<proc::Crew>& crew);
  std::size_t count(const std::vector<compile::Source>& sources) const;  // the lock is held
  bool is_to_stop() const;

  compile::CompileOptions options_;
  std::size_t at_once_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<compile::Source> waiting_;
  std::set<std::string> known_;  // that were asked for, whether compiled yet or not
  std::map<std::string, Artifact> artifacts_;
  std::exception_ptr failure_;
  bool closing_ = false;
  std::thread thread_;  // the last: it uses all of the above
};

}  // namespace tuner::tune
