// A launcher that passes frames between tuner and a worker, and does one of them harm.
//
//   fault_relay FOLDER FAULT AT SEED COMMAND...
//
// FAULT happens once a FOLDER, at the AT-th frame that the worker sends (its first is number 0):
//
//   none      nothing
//   cut       the frame ends at a random byte, and the relay with it
//   garbage   other bytes take the frame's place
//   sticky    the device is lost, as the worker tells it
//   gone      the relay ends without a word
//   request   the next request ends at a random byte, and the relay with it
//   deaf      nothing passes any more, from the first workload on whatever AT is: what falls silent while a candidate
//             runs cannot be told from that
//
// What passes is written to FOLDER/passed: a line "asked REQUEST MODULE" or "answered MODULE".
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "proc/child.h"
#include "proc/frames.h"

namespace {

using namespace tuner::proc;
using Json = nlohmann::json;

constexpr int connection_lost = 255;  // as ssh says it

struct Relay {
  std::string folder, fault;
  int at = 0;
  std::mt19937_64 random;
  int log = -1;
  std::atomic<bool> cut_request{false}, deaf{false};
  std::atomic<bool> loads{false};  // the request under way is for a workload
  std::atomic<int> module{-1};     // of the request under way; -1: it is no verify

  void note(const std::string& line) const {
    if (::write(log, (line + "\n").c_str(), line.size() + 1) < 0) std::_Exit(1);
  }
  // Whoever takes the file away has the fault.
  bool is_mine() const { return ::unlink((folder + "/fault").c_str()) == 0; }
};

void write_part(int fd, const Frame& frame, std::mt19937_64& random) {
  const std::string bytes = encode_frame(frame);
  if (::write(fd, bytes.data(), random() % bytes.size()) < 0) std::_Exit(1);
}

void pass_requests(Relay& relay, Child& worker) {
  Frame frame;
  while (read_frame(0, frame, {}) == ReadResult::frame) {
    if (relay.deaf) continue;
    const Json request = Json::parse(frame.header, nullptr, false);
    const std::string what = request.value("request", "");
    relay.module = what == "verify" ? request["candidate"].value("module", -1) : -1;
    relay.loads = what == "load_workload";
    relay.note("asked " + what + " " + std::to_string(relay.module));
    if (relay.cut_request) {
      write_part(worker.stdin_fd(), frame, relay.random);
      std::_Exit(connection_lost);
    }
    if (!write_frame(worker.stdin_fd(), frame)) break;
  }
  if (relay.deaf) std::_Exit(connection_lost);
  worker.close_stdin();
}

// Returns whether the frame is still to be passed. Noise before the first frame is what a launcher may print.
bool do_harm(Relay& relay, Frame& frame, bool first) {
  if (relay.fault == "cut") {
    write_part(1, frame, relay.random);
    std::_Exit(connection_lost);
  }
  if (relay.fault == "gone") std::_Exit(connection_lost);
  relay.deaf = relay.fault == "deaf";
  while (relay.deaf) ::pause();
  if (relay.fault == "request") relay.cut_request = true;
  if (relay.fault == "garbage") {
    const std::string noise = "Connection closed by remote host\r\n";
    if (::write(1, noise.data(), noise.size()) < 0) std::_Exit(1);
    return first;
  }
  if (relay.fault == "sticky") {
    const Json error = {{"kind", "machine"}, {"what", "an illegal address was read"}, {"where", ""}, {"hint", ""}};
    frame = {Json{{"error", error}, {"lost", true}}.dump(), {}};
    if (!write_frame(1, frame)) std::_Exit(1);
    std::_Exit(71);  // as the worker does then
  }
  return true;
}

void pass_replies(Relay& relay, Child& worker) {
  Frame frame;
  for (int count = 0; read_frame(worker.stdout_fd(), frame, {}) == ReadResult::frame; ++count) {
    const int module = relay.module;
    const bool due = relay.fault == "deaf" ? relay.loads.load() : relay.fault != "none" && count == relay.at;
    if (due && relay.is_mine() && !do_harm(relay, frame, count == 0)) continue;
    if (!write_frame(1, frame)) return;
    if (module >= 0) relay.note("answered " + std::to_string(module));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  Relay relay;
  relay.folder = argv[1];
  relay.fault = argv[2];
  relay.at = std::atoi(argv[3]);
  relay.random.seed(std::strtoull(argv[4], nullptr, 10));
  relay.log = ::open((relay.folder + "/passed").c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  Child::Options options;
  options.capture_stderr = false;
  Child worker = Child::spawn({argv + 5, argv + argc}, options);
  std::thread requests([&] { pass_requests(relay, worker); });
  pass_replies(relay, worker);
  const auto status = worker.wait_until(Clock::now() + std::chrono::seconds(10));
  if (!status) worker.kill();
  std::_Exit(!status ? connection_lost : status->exited ? status->code : 128 + status->signal);
}
