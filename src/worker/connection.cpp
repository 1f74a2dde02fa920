#include "worker/connection.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/error.h"
#include "worker/protocol.h"

namespace tuner::worker {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds last_words{10000};     // of what started the worker, once that has ended
constexpr milliseconds grace{2000};           // past a deadline the worker keeps itself
constexpr milliseconds launcher_grace{5000};  // srun waits three seconds for its step
constexpr milliseconds between_looks{100};    // at whether it is to stop
constexpr std::size_t kept_bytes = 4096;      // of stderr

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

int milliseconds_to(proc::Clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - proc::Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

}  // namespace

Connection::Connection(proc::Child child, const Options& options)
    : child_(std::move(child)), stop_(options.stop), launched_(options.launched) {
  const int fd = child_.stderr_fd();
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

Connection Connection::open(const Options& options) {
  proc::Child::Options wanted;
  wanted.environment = options.environment;
  if (options.launched) wanted.grace = launcher_grace;
  return {proc::Child::spawn(options.command, wanted), options};
}

void Connection::drain_errors() {
  char buffer[4096];
  ssize_t got = 0;
  while ((got = ::read(child_.stderr_fd(), buffer, sizeof buffer)) > 0) {
    errors_.append(buffer, static_cast<std::size_t>(got));
    if (errors_.size() > kept_bytes) errors_.erase(0, errors_.size() - kept_bytes);
  }
}

std::string Connection::printed() const {
  const std::string text = trimmed(errors_);
  return text.empty() ? "" : "; it printed: " + text;
}

// What else there is to see to while an answer is waited for. A worker that fills the pipe of its stderr would wait for
// ever; when what was started ends, its group goes with it, since others in it may hold the worker's output open.
void Connection::look_around() {
  drain_errors();
  child_.wait_until(proc::Clock::now());
  if (!stop_ || !stop_()) return;
  if (!stopped_) stopped_ = proc::Clock::now();
  if (proc::Clock::now() - *stopped_ > stop_grace) interrupt();
}

proc::ReadResult Connection::await(proc::Frame& frame, proc::Clock::time_point deadline, Text text) {
  bool errors_open = true, ended = false;
  stopped_.reset();
  for (;;) {
    pollfd watched[3] = {{child_.stdout_fd(), POLLIN, 0},
                         {errors_open ? child_.stderr_fd() : -1, POLLIN, 0},
                         {ended ? -1 : child_.exit_fd(), POLLIN, 0}};
    const auto next_look = std::min(deadline, proc::Clock::now() + between_looks);
    const int ready = ::poll(watched, 3, milliseconds_to(next_look));
    if (ready < 0 && errno != EINTR) return proc::ReadResult::end;
    const auto meanwhile = [this] { look_around(); };
    if (ready > 0 && watched[0].revents != 0)
      return text == Text::skipped ? proc::read_first_frame(child_.stdout_fd(), frame, deadline, meanwhile)
                                   : proc::read_frame(child_.stdout_fd(), frame, deadline, meanwhile);
    look_around();
    if (ready > 0 && (watched[1].revents & (POLLHUP | POLLERR)) != 0) errors_open = false;
    if (ready > 0 && watched[2].revents != 0) ended = true;
    if (proc::Clock::now() >= deadline) return proc::ReadResult::timeout;
  }
}

void Connection::interrupt() {
  alive_ = false;
  child_.kill();
  throw Interrupted();
}

std::string Connection::first_frame(const std::string& command, milliseconds deadline) {
  proc::Frame frame;
  const proc::ReadResult result = await(frame, proc::Clock::now() + deadline, Text::skipped);
  if (result == proc::ReadResult::frame) return frame.header;
  alive_ = false;
  const auto status = child_.wait_until(proc::Clock::now() + milliseconds(500));
  killed_at_start_ = status && status->killed_by_others();
  drain_errors();
  const std::string text = trimmed(frame.payload);
  const std::string said = (text.empty() ? "" : "; its output: \"" + text + "\"") + printed();
  if (result == proc::ReadResult::garbage)
    throw MachineError("the worker's output holds no frame, but other text: \"" + text + "\"", command,
                       "what starts the worker must run it and pass its output on");
  if (result == proc::ReadResult::timeout)
    throw MachineError(
        fmt::format("the worker did not start within {:g} s{}", static_cast<double>(deadline.count()) / 1000, said),
        command,
        launched_ ? "run that command by hand; where it queues for a node, --wait 30min waits longer"
                  : "run tuner doctor");
  throw MachineError(
      "the worker ended at its start (" + (status ? status->text() : std::string("its output is closed")) + ")" + said,
      command, launched_ ? "run that command by hand; --worker PATH says where tuner is on that machine" : "");
}

proc::Frame Connection::call(const std::string& request, const proc::Frame& frame, milliseconds deadline) {
  using How = WorkerLost::How;
  if (!alive_) throw WorkerLost("the worker has already ended", How::ended);
  const auto until = proc::Clock::now() + deadline + grace;
  proc::Frame reply;
  proc::ReadResult result = proc::ReadResult::end;
  if (proc::write_frame(child_.stdin_fd(), frame, until)) result = await(reply, until);
  if (result == proc::ReadResult::frame) return reply;
  if (result == proc::ReadResult::garbage)
    fail(request, "its reply is not a frame: \"" + trimmed(reply.payload) + "\"");
  alive_ = false;
  const auto status = result == proc::ReadResult::end ? child_.wait_until(proc::Clock::now() + grace) : std::nullopt;
  drain_errors();
  // What started the worker may outlive it, and a process its deadline: the one without being late.
  // Behind a launcher that says nothing the node may be gone.
  const bool silent = !status && proc::Clock::now() >= until - grace;
  const bool late = status ? status->exited && status->code == exit_deadline : silent && !launched_;
  const bool halted = !status && child_.stopped();
  if (!status) child_.kill();
  if (halted) throw WorkerLost("somebody stopped the worker during " + request + printed(), How::by_others);
  if (late)
    throw WorkerLost(fmt::format("no answer to {} within {} ms{}", request, deadline.count(), printed()),
                     How::timed_out);
  if (silent)
    throw WorkerLost(fmt::format("nothing was heard of the worker during {} for {} ms{}", request,
                                 (deadline + grace).count(), printed()),
                     How::ended);
  if (!status) throw WorkerLost("the worker's output ended during " + request + printed(), How::ended);
  throw WorkerLost("the worker ended during " + request + ": " + status->text() + printed(),
                   status->killed_by_others() ? How::by_others : How::ended);
}

void Connection::fail(const std::string& request, const std::string& why) {
  alive_ = false;
  drain_errors();
  child_.kill();
  throw WorkerLost("the worker broke the protocol during " + request + ": " + why + printed(), WorkerLost::How::ended);
}

void Connection::close() {
  alive_ = false;
  if (!child_.wait_until(proc::Clock::now() + last_words)) child_.kill();
}

}  // namespace tuner::worker
