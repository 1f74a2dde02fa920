#include "proc/pool.h"

#include <poll.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "proc/io.h"

namespace tuner::proc {
namespace {

constexpr std::chrono::milliseconds kStopInterval{50};
constexpr std::chrono::milliseconds kWithoutExitFd{3};
constexpr std::size_t kLimitBytes = 64u << 20;

// One command between its start and its end.
class Running {
 public:
  Running(std::size_t index, const std::vector<std::string>& argv, const std::string& input,
          std::chrono::milliseconds time, const Child::Options& options, std::size_t limit)
      : index_(index),
        child_(Child::spawn(argv, options)),
        input_(input),
        deadline_(Clock::now() + time),
        limit_(limit),
        out_open_(child_.stdout_fd() >= 0),
        err_open_(child_.stderr_fd() >= 0) {}

  std::size_t index() const { return index_; }
  Clock::time_point deadline() const { return deadline_; }
  bool has_exit_fd() const { return child_.exit_fd() >= 0; }
  Output& output() { return output_; }

  void add_to(std::vector<pollfd>& fds) const {
    if (child_.stdin_fd() >= 0) fds.push_back({child_.stdin_fd(), POLLOUT, 0});
    if (out_open_) fds.push_back({child_.stdout_fd(), POLLIN, 0});
    if (err_open_) fds.push_back({child_.stderr_fd(), POLLIN, 0});
    if (has_exit_fd()) fds.push_back({child_.exit_fd(), POLLIN, 0});
  }

  // Moves what can move without waiting; true when the command is over.
  bool step() {
    feed();
    drain();
    auto status = child_.wait_until(Clock::time_point::min());
    if (!status && Clock::now() >= deadline_) {
      status = child_.kill();
      output_.timed_out = status->killed_by_us;
    }
    if (!status) return false;
    output_.status = *status;
    drain();
    return true;
  }

 private:
  void feed() {
    while (child_.stdin_fd() >= 0) {
      if (written_ == input_.size()) return child_.close_stdin();
      const Io io = write_some(child_.stdin_fd(), input_.data() + written_, input_.size() - written_, written_);
      if (io == Io::closed) child_.close_stdin();
      if (io == Io::would_block) return;
    }
  }

  void drain() {
    if (out_open_) out_open_ = read_all(child_.stdout_fd(), output_.out);
    if (err_open_) err_open_ = read_all(child_.stderr_fd(), output_.err);
  }

  // What is there now, at most 16 MB so that a chatterbox cannot hold the loop; false at the end of the stream.
  bool read_all(int fd, std::string& to) {
    for (std::size_t turn = 0; turn < 256; ++turn) {
      const Io io = read_some(fd, to, 65536);
      if (to.size() > limit_) to.resize(limit_);
      if (io != Io::some) return io == Io::would_block;
    }
    return true;
  }

  std::size_t index_;
  Child child_;
  const std::string& input_;
  std::size_t written_ = 0;
  Clock::time_point deadline_;
  std::size_t limit_;
  bool out_open_;
  bool err_open_;
  Output output_;
};

using Slots = std::vector<std::unique_ptr<Running>>;

// Until something can move, a deadline passes or `stop` is to be asked again.
void wait_for_any(const Slots& slots, bool with_stop) {
  std::vector<pollfd> fds;
  Clock::time_point until = Clock::time_point::max();
  if (with_stop) until = Clock::now() + kStopInterval;
  for (const auto& slot : slots) {
    slot->add_to(fds);
    until = std::min(until, slot->has_exit_fd() ? slot->deadline() : Clock::now() + kWithoutExitFd);
  }
  ::poll(fds.data(), fds.size(), poll_timeout(until));
}

// Takes out what has ended.
Slots step_all(Slots& slots) {
  Slots ended;
  for (auto& slot : slots)
    if (slot->step()) ended.push_back(std::move(slot));
  slots.erase(std::remove(slots.begin(), slots.end(), nullptr), slots.end());
  return ended;
}

}  // namespace

Output run(const std::vector<std::string>& argv, const std::string& input, std::chrono::milliseconds deadline,
           const Child::Options& options, std::size_t limit_bytes) {
  Slots slots;
  slots.push_back(std::make_unique<Running>(0, argv, input, deadline, options, limit_bytes));
  for (;;) {
    auto ended = step_all(slots);
    if (!ended.empty()) return std::move(ended.front()->output());
    wait_for_any(slots, false);
  }
}

void run_all(const std::vector<Command>& commands, int jobs, const std::function<void(std::size_t, Output)>& done,
             const std::function<bool()>& stop) {
  const auto width = static_cast<std::size_t>(std::max(jobs, 1));
  Slots slots;
  std::size_t next = 0;
  while (next < commands.size() || !slots.empty()) {
    if (stop && stop()) return;
    if (next < commands.size() && slots.size() < width) {
      const Command& command = commands[next];
      slots.push_back(std::make_unique<Running>(next, command.argv, command.input, command.deadline, Child::Options{},
                                                kLimitBytes));
      ++next;
      if (slots.size() < width && next < commands.size()) continue;
    }
    auto ended = step_all(slots);
    for (auto& one : ended) done(one->index(), std::move(one->output()));
    if (ended.empty()) wait_for_any(slots, static_cast<bool>(stop));
  }
}

}  // namespace tuner::proc
