// A run in the store. One that ends by an exception has failed: what was in flight in it is not alive.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "store/store.h"

namespace tuner::tune {

class StoredRun {
 public:
  // Notes its number in `runs`.
  StoredRun(store::Store& store, const RunFacts& facts, std::vector<std::int64_t>& runs)
      : store_(store), facts_(facts), runs_(runs) {
    begin();
  }
  StoredRun(const StoredRun&) = delete;
  StoredRun& operator=(const StoredRun&) = delete;
  ~StoredRun() {
    if (!open_) return;
    try {
      end("failed");
    } catch (const Error&) {  // the end of this process ends it as well
      open_ = false;
    }
  }

  std::int64_t id() const { return runs_.back(); }
  void begin_another() {
    end("done");
    begin();
  }
  void end(const std::string& outcome) {
    open_ = false;
    store_.end_run(id(), outcome);
  }

 private:
  void begin() {
    runs_.push_back(store_.begin_run(facts_));
    open_ = true;
  }

  store::Store& store_;
  const RunFacts& facts_;
  std::vector<std::int64_t>& runs_;
  bool open_ = false;
};

}  // namespace tuner::tune
