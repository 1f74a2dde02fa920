#include "tune/schedule.h"

#include <algorithm>
#include <chrono>

namespace tuner::tune {
namespace {

constexpr std::chrono::milliseconds between_looks{50};  // at whether a stop has come

}  // namespace

Schedule::Schedule(std::vector<Task> tasks) {
  for (Task& task : tasks) {
    std::erase_if(task.after, [this](std::size_t before) { return before >= entries_.size(); });
    const double seconds = task.seconds;
    entries_.push_back({std::move(task), seconds});
  }
  for (std::size_t i = entries_.size(); i-- > 0;)
    for (const std::size_t before : entries_[i].task.after)
      entries_[before].rank = std::max(entries_[before].rank, entries_[before].task.seconds + entries_[i].rank);
}

std::optional<std::size_t> Schedule::best_ready() const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const bool ready =
        entry.state == State::waiting && std::all_of(entry.task.after.begin(), entry.task.after.end(),
                                                     [this](auto at) { return entries_[at].state == State::done; });
    if (ready && (!best || entry.rank > entries_[*best].rank)) best = i;
  }
  return best;
}

std::optional<std::size_t> Schedule::take_ready() {
  const auto best = best_ready();
  if (!best) return best;
  entries_[*best].state = State::taken;
  if (++entries_[*best].tries == 1) ++taken_;
  return best;
}

bool Schedule::is_over() const {
  return std::none_of(entries_.begin(), entries_.end(),
                      [](const Entry& entry) { return entry.state == State::waiting || entry.state == State::taken; });
}

std::optional<std::size_t> Schedule::take_now() {
  const std::lock_guard lock(mutex_);
  return take_ready();
}

std::optional<std::size_t> Schedule::take(const std::function<bool()>& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stop && stop()) return {};
    if (const auto task = take_ready()) return task;
    if (is_over()) return {};
    changed_.wait_for(lock, between_looks);
  }
}

std::optional<std::size_t> Schedule::ahead() const {
  const std::lock_guard lock(mutex_);
  return best_ready();
}

void Schedule::done(std::size_t task) {
  const std::lock_guard lock(mutex_);
  entries_[task].state = State::done;
  changed_.notify_all();
}

void Schedule::drop(std::size_t task) {
  entries_[task].state = State::dropped;
  for (std::size_t i = task + 1; i < entries_.size(); ++i) {
    const std::vector<std::size_t>& after = entries_[i].task.after;
    if (std::find(after.begin(), after.end(), task) != after.end()) drop(i);
  }
}

void Schedule::give_back(std::size_t task) {
  const std::lock_guard lock(mutex_);
  entries_[task].state = State::waiting;
  if (entries_[task].tries >= most_tries) drop(task);
  changed_.notify_all();
}

std::size_t Schedule::taken() const {
  const std::lock_guard lock(mutex_);
  return taken_;
}

std::size_t Schedule::undone() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.state != State::done; }));
}

bool Schedule::was_tried(std::size_t task) const {
  const std::lock_guard lock(mutex_);
  return entries_[task].tries > 1;
}

}  // namespace tuner::tune
