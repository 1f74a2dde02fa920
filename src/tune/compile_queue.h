// Compiles on a thread of its own, so that the GPU does not wait for what could have been compiled meanwhile; for every
// architecture that is asked for, by the same processes. May be used by several threads.
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
#include <utility>
#include <vector>

#include "compile/compiler.h"

namespace tuner::tune {

class CompileQueue {
 public:
  // An architecture and what compiles for it.
  using Target = std::size_t;

  CompileQueue() = default;
  // Compiles that are going on are ended.
  ~CompileQueue();
  CompileQueue(const CompileQueue&) = delete;
  CompileQueue& operator=(const CompileQueue&) = delete;

  // So many are begun together, and what goes in front waits for them: a few a CPU, so that the last of them leave no
  // CPU idle for long.
  static std::size_t at_once(const compile::CompileOptions& options);

  // Of equal compilers and architectures there is one, with the options of the first who asks.
  Target target(const compile::CompileOptions& options);

  // To be compiled when nothing is waited for. Sources whose hash is known are left out.
  void start(Target target, const std::vector<compile::Source>& sources);
  // Waits for these, which go before all others; tells how many of them there are by now, from this thread. Returns
  // early where a stop comes. Throws what compile_all() throws.
  void wait(Target target, const std::vector<compile::Source>& sources,
            const std::function<void(std::size_t, std::size_t)>& progress);

  bool has(Target target, const std::string& source_hash) const;
  // Stays where it is as long as this queue.
  const Artifact& at(Target target, const std::string& source_hash) const;

 private:
  using Key = std::pair<Target, std::string>;  // the hash of a source
  struct Wanted {
    Target target;
    compile::Source source;
  };

  void work();
  void compile(const std::vector<Wanted>& wanted, const std::shared_ptr<proc::Crew>& crew);
  bool is_to_stop() const;
  // The lock is held.
  void add(Target target, const std::vector<compile::Source>& sources);
  std::vector<Wanted> next();
  std::size_t count(Target target, const std::vector<compile::Source>& sources) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<compile::CompileOptions> targets_;  // they stay where they are
  std::deque<Wanted> waiting_;
  std::set<Key> known_;  // that were asked for, whether compiled yet or not
  std::map<Key, Artifact> artifacts_;
  std::exception_ptr failure_;
  bool closing_ = false;
  std::thread thread_;  // the last: it uses all of the above; begins with the first source
};

}  // namespace tuner::tune
