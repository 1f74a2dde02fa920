#include "worker/server.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "measure/parallel.h"
#include "proc/frames.h"
#include "proc/pool.h"
#include "worker/bench_state.h"
#include "worker/host_reference.h"
#include "worker/protocol.h"
#include "worker/serve.h"

namespace tuner::worker {
namespace {

using Json = nlohmann::json;

Json error_of(const std::exception& failure) {
  const auto* ours = dynamic_cast<const Error*>(&failure);
  const bool machine = dynamic_cast<const MachineError*>(&failure) != nullptr;
  return {{"kind", machine           ? "machine"
                   : ours != nullptr ? "user"
                                     : "other"},
          {"what", failure.what()},
          {"where", ours != nullptr ? ours->where() : ""},
          {"hint", ours != nullptr ? ours->hint() : ""}};
}

// The real stdin and stdout, away from 0 and 1, so that nothing else in this process can use them.
struct Streams {
  int in = -1;
  int out = -1;
};

Streams take_streams() {
  Streams streams;
  streams.in = ::fcntl(0, F_DUPFD_CLOEXEC, 64);
  streams.out = ::fcntl(1, F_DUPFD_CLOEXEC, 64);
  if (streams.in < 0 || streams.out < 0) throw MachineError("a worker needs its stdin and stdout");
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) {
    ::dup2(nothing, 0);
    ::close(nothing);
  }
  ::dup2(2, 1);
  ::setvbuf(stdout, nullptr, _IOLBF, 0);  // what kernels print is not lost where one ends the process
  return streams;
}

// Whatever passes output on line by line, as srun does, passes a frame on when it ends with one.
proc::Frame frame_of(const Json& json) {
  return {json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", {}};
}

struct Answer {
  Json reply = {{"ok", true}};
  bool lost = false;  // send the reply, then leave
  bool end = false;
};

class Server {
 public:
  Server(Streams streams, DeviceSource source) : streams_(streams), source_(std::move(source)), watchdog_(streams.in) {}
  int loop();

 private:
  Answer answer(const Json& request, proc::Frame& frame, Clock::time_point deadline);
  Answer answer_load(const std::string& what, const Json& request, proc::Frame& frame, Clock::time_point deadline);
  Answer answer_timed(const std::string& what, const Json& request, Clock::time_point deadline);
  Answer guarded_answer(const Json& request, proc::Frame& frame, Clock::time_point deadline);
  void hello(const Json& request, proc::Frame& frame);
  BenchState& state();

  Streams streams_;
  DeviceSource source_;
  Watchdog watchdog_;
  std::unique_ptr<BenchState> state_;
};

BenchState& Server::state() {
  if (!state_) throw UserError("the first request must be hello");
  return *state_;
}

void Server::hello(const Json& request, proc::Frame& frame) {
  const Artifact support = artifact_from_json(request.at("artifact").dump(), std::move(frame.payload));
  state_.reset();
  state_ = std::make_unique<BenchState>(source_.open(support));
}

Answer Server::answer_load(const std::string& what, const Json& request, proc::Frame& frame,
                           Clock::time_point deadline) {
  Answer answer;
  const int id = request.value("id", 0);
  if (what == "load_module") {
    state().load_module(id, artifact_from_json(request.at("artifact").dump(), std::move(frame.payload)));
  } else if (what == "unload_module") {
    state().unload_module(id);
  } else if (what == "load_workload") {
    measure::PrepareOptions options;
    options.timed = request.at("timed");
    options.ring = request.at("ring");
    options.generation = request.at("generation");
    options.reference.host = [](const Workload& workload, std::vector<measure::WideArgument>& arguments) {
      call_host_reference(workload, arguments, host_reference_deadline);
    };
    std::optional<Artifact> reference;
    if (request.contains("artifact"))
      reference = artifact_from_json(request.at("artifact").dump(), std::move(frame.payload));
    state().load_workload(id, workload_from_json(request.at("workload").dump()), options, reference);
  } else if (what == "unload_workload") {
    state().unload_workload(id);
  } else if (what == "load_member") {
    const auto timed = state().load_member(member_from_json(request.at("member").dump()), deadline);
    answer.reply["recorded"] = Json::parse(to_json(Recorded{timed.problem, timed.first_us, timed.launches}));
    answer.lost = timed.device_lost;
  } else if (what == "unload_member") {
    state().unload_member(id);
  } else {
    throw UserError("unknown request '" + what + "'");
  }
  return answer;
}

Answer Server::answer_timed(const std::string& what, const Json& request, Clock::time_point deadline) {
  Answer answer;
  if (what == "round") {
    answer.reply["us"] = state().round(request.at("ids").get<std::vector<int>>(), request.at("seed"), deadline);
  } else if (what == "check_timed") {
    answer.reply["verdict"] =
        Json::parse(tuner::to_json(state().check_timed(request.at("id"), request.at("chain"), deadline)));
  } else if (what == "run_once") {
    const auto result = state().run_once(verify_request_from_json(request.at("candidate").dump()), deadline);
    Verdict verdict;
    verdict.reason = result.reason;
    verdict.detail = result.detail;
    answer.reply["verdict"] = Json::parse(tuner::to_json(verdict));
    answer.lost = result.device_lost;
  } else {
    const auto verification = state().verify(verify_request_from_json(request.at("candidate").dump()), deadline);
    answer.reply["verdict"] = Json::parse(tuner::to_json(verification.verdict));
    answer.lost = verification.device_lost;
  }
  return answer;
}

Answer Server::answer(const Json& request, proc::Frame& frame, Clock::time_point deadline) {
  const std::string what = request.at("request");
  Answer answer;
  if (what == "bye") {
    answer.end = true;
  } else if (what == "hello") {
    hello(request, frame);
    answer.reply["facts"] = Json::parse(to_json(state().device().facts()));
    answer.reply["emulated"] = state().device().emulated();
  } else if (what == "users") {
    answer.reply["users"] = Json::parse(to_json(source_.users()));
  } else if (what == "conditions") {
    answer.reply["conditions"] = Json::parse(to_json(state().device().conditions()));
  } else if (what == "round" || what == "check_timed" || what == "verify" || what == "run_once") {
    return answer_timed(what, request, deadline);
  } else {
    return answer_load(what, request, frame, deadline);
  }
  return answer;
}

// What fails on the machine while kernels run leaves the device in an unknown state: the worker ends.
Answer Server::guarded_answer(const Json& request, proc::Frame& frame, Clock::time_point deadline) {
  try {
    return answer(request, frame, deadline);
  } catch (const std::exception& failure) {
    const std::string what = request.value("request", "");
    Answer answer;
    answer.reply = {{"error", error_of(failure)}};
    const bool runs =
        what == "round" || what == "check_timed" || what == "verify" || what == "run_once" || what == "load_member";
    answer.lost = runs && dynamic_cast<const UserError*>(&failure) == nullptr;
    return answer;
  }
}

int Server::loop() {
  proc::Frame frame;
  while (proc::read_frame(streams_.in, frame, {}) == proc::ReadResult::frame) {
    const Json request = Json::parse(frame.header, nullptr, false);
    if (request.is_discarded() || !request.is_object()) return exit_usage;
    const std::chrono::milliseconds allowed(request.value("deadline_ms", 10000));
    const auto start = Clock::now();
    watchdog_.arm(start + allowed);
    // The device gives up a little earlier, so that there is time to say so.
    Answer answer = guarded_answer(request, frame, start + allowed * 9 / 10);
    answer.reply["lost"] = answer.lost;
    if (!proc::write_frame(streams_.out, frame_of(answer.reply))) ::_exit(exit_orphan);
    if (answer.lost) ::_exit(exit_lost);
    if (answer.end) state_.reset();
    watchdog_.disarm();
    if (answer.end) return 0;
  }
  state_.reset();
  return 0;
}

}  // namespace

int serve_device(const std::string& word, const std::function<DeviceSource()>& find) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Streams streams = take_streams();
  measure::limit_threads(proc::usable_cpus());
  Json first = {{"protocol", protocol_version}, {"build", TUNER_VERSION}, {"device", word}};
  std::optional<DeviceSource> source;
  try {
    source = find();
    first["facts"] = Json::parse(to_json(source->facts));
    first["emulated"] = source->emulated;
    first["gpus"] = source->gpus;
  } catch (const std::exception& failure) {
    first["error"] = error_of(failure);
  }
  if (!proc::write_frame(streams.out, frame_of(first))) return exit_orphan;
  return source ? Server(streams, std::move(*source)).loop() : 1;
}

}  // namespace tuner::worker
