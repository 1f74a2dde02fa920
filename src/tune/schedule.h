// Which problem the next free GPU takes: of those whose anchors are done, the one that most work hangs on. Each is in
// one GPU's hands from its first compile to its last round.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace tuner::tune {

class Schedule {
 public:
  struct Task {
    double seconds = 0;                // about; what counts is which of two takes longer
    std::vector<std::size_t> after{};  // tasks in front of it that must be done before
  };
  // A GPU that is lost over a task is no fault of the task's; two are.
  static constexpr int most_tries = 2;

  explicit Schedule(std::vector<Task> tasks);

  // For a GPU that is free now. Waits while all that is left is in other hands or waits for what is, because a GPU may
  // be lost and its task come back. Empty: nothing is left, or `stop` says so (asked every 50 ms).
  std::optional<std::size_t> take(const std::function<bool()>& stop);
  // Without waiting.
  std::optional<std::size_t> take_now();
  // What would be taken now.
  std::optional<std::size_t> ahead() const;

  void done(std::size_t task);
  // Its GPU was lost: another may try. After most_tries it and what waits for it are left undone.
  void give_back(std::size_t task);

  std::size_t taken() const;   // so far, each once
  std::size_t undone() const;  // not finished, whether in somebody's hands or not
  bool was_tried(std::size_t task) const;

 private:
  enum class State { waiting, taken, done, dropped };
  struct Entry {
    Task task;
    double rank = 0;  // its seconds and those of the longest chain that waits for it
    State state = State::waiting;
    int tries = 0;
  };

  std::optional<std::size_t> best_ready() const;  // the lock is held, as below
  std::optional<std::size_t> take_ready();
  bool is_over() const;
  void drop(std::size_t task);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;
  std::size_t taken_ = 0;
};

}  // namespace tuner::tune
