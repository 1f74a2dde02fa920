#include "search/line_child.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "core/error.h"
#include "core/shell.h"
#include "proc/io.h"

namespace tuner::search {
namespace {

constexpr std::size_t longest_line = std::size_t{4} << 20;
constexpr std::chrono::milliseconds parting{500};  // that it has to end by itself
constexpr std::chrono::milliseconds looks{100};    // at whether to stop

double seconds(std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1000; }

proc::Child started(const std::vector<std::string>& command) {
  proc::Child::Options options;
  options.capture_stderr = false;
  try {
    return proc::Child::spawn(command, options);
  } catch (const MachineError& fault) {
    throw UserError(std::string("the search program cannot be started: ") + fault.what(), command.front(),
                    "its words are split as a shell does, but there is no shell: exec:\"sh -c '...'\" if need be");
  }
}

}  // namespace

LineChild::LineChild(std::vector<std::string> command, std::chrono::milliseconds deadline, std::function<bool()> stop)
    : command_(std::move(command)), deadline_(deadline), stop_(std::move(stop)), child_(started(command_)) {
  proc::set_nonblocking(child_.stdin_fd());
  proc::set_nonblocking(child_.stdout_fd());
}

LineChild::~LineChild() {
  child_.close_stdin();
  child_.wait_until(proc::Clock::now() + parting);
}

void LineChild::fail(const std::string& what, const std::string& hint) {
  std::string line;
  for (const std::string& word : command_) line += (line.empty() ? "" : " ") + shell_word(word);
  throw UserError("the search program " + what, line, hint);
}

void LineChild::fail_as_ended() {
  const auto status = child_.wait_until(proc::Clock::now() + parting);
  fail(status ? "has ended, " + status->text() + ", before the search was over" : "has closed its pipes",
       "what it printed to standard error stands above; {\"try\": []} says that it is done");
}

bool LineChild::ready(int fd, short events, proc::Clock::time_point deadline) const {
  for (;;) {
    if (stop_ && stop_()) throw Interrupted();
    if (proc::wait_ready(fd, events, std::min(deadline, proc::Clock::now() + looks))) return true;
    if (proc::Clock::now() >= deadline) return false;
  }
}

void LineChild::send(const std::string& line) {
  const std::string bytes = line + "\n";
  const auto deadline = proc::Clock::now() + deadline_;
  for (std::size_t written = 0; written < bytes.size();) {
    const auto done = proc::write_some(child_.stdin_fd(), bytes.data() + written, bytes.size() - written, written);
    if (done == proc::Io::closed) fail_as_ended();
    if (done == proc::Io::would_block && !ready(child_.stdin_fd(), POLLOUT, deadline))
      fail(fmt::format("did not read what it was told within {:g} s", seconds(deadline_)),
           "it has to read a line after each that it writes");
  }
}

std::string LineChild::receive() {
  const auto deadline = proc::Clock::now() + deadline_;
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      ++lines_read_;
      return line;
    }
    if (buffer_.size() > longest_line) fail("printed a line of over 4 MiB", "it has to answer with a line each time");
    if (!ready(child_.stdout_fd(), POLLIN, deadline))
      fail(fmt::format("did not answer within {:g} s", seconds(deadline_)),
           "it has to print a line, and flush it, whenever it is asked");
    if (proc::read_some(child_.stdout_fd(), buffer_, std::size_t{1} << 16) == proc::Io::closed) fail_as_ended();
  }
}

}  // namespace tuner::search
