#include "proc/crew.h"

#include <poll.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "proc/frames.h"
#include "proc/io.h"

namespace tuner::proc {
namespace {

constexpr std::chrono::milliseconds stop_interval{50};
constexpr std::chrono::milliseconds last_words{500};  // of one that ends by itself
constexpr std::size_t kept_bytes = 1 << 20;           // of stderr

}  // namespace

// One process, and what it works on.
class Crew::Hand {
 public:
  explicit Hand(const std::vector<std::string>& argv) : child_(Child::spawn(argv, {})) {}

  bool works() const { return job_.has_value(); }
  int answered() const { return answered_; }
  Clock::time_point deadline() const { return deadline_; }
  void add_to(std::vector<pollfd>& fds) const {
    fds.push_back({child_.stdout_fd(), POLLIN, 0});
    fds.push_back({child_.stderr_fd(), POLLIN, 0});
  }

  // False where it was not taken, because the process has gone, say: step() tells how it ended.
  bool begin(std::size_t index, const Job& job) {
    deadline_ = Clock::now() + job.deadline;
    errors_.clear();
    job_ = index;
    return write_frame(child_.stdin_fd(), {"", job.input}, deadline_);
  }

  // Empty while it works.
  std::optional<Output> step() {
    drain();
    Output output;
    pollfd answer{child_.stdout_fd(), POLLIN, 0};
    if (::poll(&answer, 1, 0) > 0) {
      Frame frame;
      if (read_frame(child_.stdout_fd(), frame, deadline_) == ReadResult::frame) {
        output.status.exited = true;
        output.out = std::move(frame.payload);
        ++answered_;
      } else {
        end(output, Clock::now() + last_words);
      }
    } else if (Clock::now() >= deadline_) {
      end(output, Clock::time_point::min());
    } else {
      return std::nullopt;
    }
    drain();
    output.err = errors_;
    return output;
  }

  std::size_t take_job() { return *std::exchange(job_, std::nullopt); }
  bool gone() const { return gone_; }

 private:
  void end(Output& output, Clock::time_point grace) {
    gone_ = true;
    const auto status = child_.wait_until(grace);
    output.status = status ? *status : child_.kill();
    output.timed_out = output.status.killed_by_us;
  }

  void drain() {
    while (read_some(child_.stderr_fd(), errors_, 65536) == Io::some)
      if (errors_.size() > kept_bytes) errors_.resize(kept_bytes);
  }

  Child child_;
  std::optional<std::size_t> job_;
  Clock::time_point deadline_;
  std::string errors_;
  int answered_ = 0;
  bool gone_ = false;
};

Crew::Crew(std::vector<std::string> argv, int jobs_each) : argv_(std::move(argv)), jobs_each_(jobs_each) {}
Crew::~Crew() = default;

Crew::Hand& Crew::idle_hand() {
  for (const auto& hand : hands_)
    if (!hand->works()) return *hand;
  return *hands_.emplace_back(std::make_unique<Hand>(argv_));
}

// Until somebody answers or prints, a deadline passes or `stop` is to be asked again.
void Crew::wait_for_any(bool with_stop) const {
  std::vector<pollfd> fds;
  Clock::time_point until = with_stop ? Clock::now() + stop_interval : Clock::time_point::max();
  for (const auto& hand : hands_)
    if (hand->works()) {
      hand->add_to(fds);
      until = std::min(until, hand->deadline());
    }
  ::poll(fds.data(), fds.size(), poll_timeout(until));
}

void Crew::run(const std::vector<Job>& jobs, int width, const std::function<void(std::size_t, Output)>& done,
               const std::function<bool()>& stop) {
  const auto is_over = [this](const std::unique_ptr<Hand>& hand) {
    return hand->gone() || (!hand->works() && hand->answered() >= jobs_each_);
  };
  std::size_t next = 0, working = 0;
  while (next < jobs.size() || working > 0) {
    if (stop && stop()) {
      std::erase_if(hands_, [&](const auto& hand) { return hand->works(); });
      return;
    }
    while (next < jobs.size() && working < static_cast<std::size_t>(std::max(width, 1))) {
      Hand& hand = idle_hand();
      // One that has answered before may have gone since, by no fault of this job: another.
      if (!hand.begin(next, jobs[next]) && hand.answered() > 0) {
        std::erase_if(hands_, [&hand](const auto& each) { return each.get() == &hand; });
        idle_hand().begin(next, jobs[next]);
      }
      ++next;
      ++working;
    }
    bool any = false;
    for (const auto& hand : hands_) {
      if (!hand->works()) continue;
      std::optional<Output> output = hand->step();
      if (!output) continue;
      any = true;
      --working;
      done(hand->take_job(), std::move(*output));
    }
    std::erase_if(hands_, is_over);
    if (!any && working > 0) wait_for_any(static_cast<bool>(stop));
  }
}

}  // namespace tuner::proc
