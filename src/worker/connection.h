// The pipes to a worker process, and what is known of its end.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "proc/child.h"
#include "proc/frames.h"
#include "worker/client.h"

namespace tuner::worker {

class Connection {
 public:
  static Connection open(const Options& options);

  int pid() const { return child_.pid(); }
  bool alive() const { return alive_; }

  // The header of the frame that comes unasked, after whatever else is printed there: a login banner, say. Throws
  // MachineError quoting that where no frame comes.
  std::string first_frame(const std::string& command, std::chrono::milliseconds deadline);
  // Somebody killed it before its first frame.
  bool killed_at_start() const { return killed_at_start_; }
  // Sends and waits for the reply, a little past `deadline`: the worker keeps it as well. Throws WorkerLost, or
  // Interrupted.
  proc::Frame call(const std::string& request, const proc::Frame& frame, std::chrono::milliseconds deadline);
  // The worker broke the protocol: ends it and throws WorkerLost.
  [[noreturn]] void fail(const std::string& request, const std::string& why);
  // Waits a moment for the worker to end by itself, then kills.
  void close();

 private:
  Connection(proc::Child child, const Options& options);
  enum class Text { refused, skipped };  // in front of a frame
  proc::ReadResult await(proc::Frame& frame, proc::Clock::time_point deadline, Text text = Text::refused);
  void look_around();
  [[noreturn]] void interrupt();
  void drain_errors();
  std::string printed() const;  // "; it printed: ...", or empty

  proc::Child child_;
  std::function<bool()> stop_;
  std::optional<proc::Clock::time_point> stopped_;  // when it said so in this call
  std::string errors_;                              // the last of its stderr
  bool launched_ = false;
  bool alive_ = true;
  bool killed_at_start_ = false;
};

}  // namespace tuner::worker
