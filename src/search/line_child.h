// A child process that is spoken with in lines. Private to search/.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "proc/child.h"

namespace tuner::search {

class LineChild {
 public:
  // Its standard error is this process's own.
  LineChild(std::vector<std::string> command, std::chrono::milliseconds deadline, std::function<bool()> stop);
  ~LineChild();
  LineChild(const LineChild&) = delete;
  LineChild& operator=(const LineChild&) = delete;

  // Both throw UserError, which names the command, where it has ended or does not do its part within the deadline, and
  // Interrupted once `stop` returns true.
  void send(const std::string& line);
  std::string receive();
  int lines_read() const { return lines_read_; }
  // What went wrong, with the command.
  [[noreturn]] void fail(const std::string& what, const std::string& hint);

 private:
  [[noreturn]] void fail_as_ended();
  // Whether it became ready before the deadline.
  bool ready(int fd, short events, proc::Clock::time_point deadline) const;

  std::vector<std::string> command_;
  std::chrono::milliseconds deadline_;
  std::function<bool()> stop_;
  proc::Child child_;
  std::string buffer_;
  int lines_read_ = 0;
};

}  // namespace tuner::search
