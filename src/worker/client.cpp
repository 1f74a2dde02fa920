#include "worker/client.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "measure/kernel_reference.h"
#include "worker/connection.h"
#include "worker/host_reference.h"
#include "worker/protocol.h"
#include "worker/serve.h"

namespace tuner::worker {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds hello_deadline = seconds(60);
constexpr milliseconds short_deadline = seconds(10);
constexpr milliseconds load_deadline = seconds(30);

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

[[noreturn]] void rethrow(const Json& error) {
  const std::string what = error.at("what"), where = error.at("where"), hint = error.at("hint");
  if (error.at("kind") == "machine") throw MachineError(what, where, hint);
  if (error.at("kind") == "user") throw UserError(what, where, hint);
  throw std::runtime_error(what);
}

milliseconds workload_deadline(const Workload& workload) {
  std::int64_t bytes = 0;
  for (const auto& argument : workload.arguments)
    if (argument.is_buffer) bytes += argument.bytes();
  milliseconds deadline(60000 + bytes / (1 << 20) * 60);  // a minute a GiB: one core computes the reference
  if (workload.reference.kind == ReferencePlan::Kind::host) deadline += 3 * host_reference_deadline;
  if (workload.reference.kind == ReferencePlan::Kind::kernel) deadline += 3 * measure::reference_kernel_deadline;
  return deadline;
}

}  // namespace

struct Client::State {
  explicit State(Connection c) : connection(std::move(c)) {}

  Json call(const std::string& request, Json header, milliseconds deadline, std::string payload = {}) {
    header["request"] = request;
    header["deadline_ms"] = deadline.count();
    const std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
    const proc::Frame frame = connection.call(request, {text, std::move(payload)}, deadline);
    Json reply = Json::parse(frame.header, nullptr, false);
    if (!reply.is_object()) connection.fail(request, "its reply is not a JSON object");
    if (reply.value("lost", false)) {
      connection.close();
      if (reply.contains("error"))
        throw WorkerLost("the device was lost during " + request + ": " + std::string(reply["error"].at("what")),
                         WorkerLost::How::ended);
    }
    if (reply.contains("error")) rethrow(reply["error"]);
    return reply;
  }

  Connection connection;
  GpuFacts gpu;
  bool emulated = false;
  int gpus = 0;
  std::map<int, double> member_us;  // of one replay
};

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Client Client::start(const Options& options) {
  auto state = std::make_unique<State>(Connection::open(options));
  const std::string where = joined(options.command);
  std::string frame;
  for (int kills = 0; frame.empty();) {
    try {
      frame = state->connection.first_frame(where, options.start_deadline);
    } catch (const MachineError&) {
      // It had done nothing yet that could be its fault.
      if (!state->connection.killed_at_start() || ++kills == most_kills_by_others) throw;
      state->connection = Connection::open(options);
    }
  }
  const Json first = Json::parse(frame, nullptr, false);
  if (!first.is_object() || !first.contains("protocol"))
    throw MachineError("the worker's first frame is not of this protocol", where);
  const int protocol = first.value("protocol", 0);
  const std::string build = first.value("build", "");
  if (protocol != protocol_version || build != TUNER_VERSION)
    throw MachineError("the worker is tuner " + build + " with protocol " + std::to_string(protocol) + ", this is " +
                           TUNER_VERSION + " with protocol " + std::to_string(protocol_version),
                       where, "start the same version on both sides");
  if (first.contains("error")) rethrow(first["error"]);
  state->gpu = gpu_from_json(first.at("facts").dump());
  state->emulated = first.at("emulated");
  state->gpus = first.value("gpus", 0);
  return Client(std::move(state));
}

const GpuFacts& Client::gpu() const { return state_->gpu; }
bool Client::emulated() const { return state_->emulated; }

int Client::gpus() const { return state_->gpus; }

GpuUsers Client::users() {
  return gpu_users_from_json(state_->call("users", Json::object(), short_deadline).at("users").dump());
}

int Client::pid() const { return state_->connection.pid(); }
bool Client::alive() const { return state_->connection.alive(); }

void Client::hello(const Artifact& support) {
  const Json reply =
      state_->call("hello", {{"artifact", Json::parse(to_json(support))}}, hello_deadline, support.image);
  state_->gpu = gpu_from_json(reply.at("facts").dump());
  state_->emulated = reply.at("emulated");
}

void Client::load_module(int id, const Artifact& artifact) {
  try {
    state_->call("load_module", {{"id", id}, {"artifact", Json::parse(to_json(artifact))}}, load_deadline,
                 artifact.image);
  } catch (const Error& refused) {
    throw std::runtime_error(refused.what());
  }
}

void Client::unload_module(int id) { state_->call("unload_module", {{"id", id}}, short_deadline); }

void Client::load_workload(int id, const Workload& workload, bool timed, int ring,
                           const std::optional<Artifact>& reference, std::uint64_t generation) {
  Json request{{"id", id},
               {"workload", Json::parse(to_json(workload))},
               {"timed", timed},
               {"ring", ring},
               {"generation", generation}};
  if (reference) request["artifact"] = Json::parse(to_json(*reference));
  state_->call("load_workload", std::move(request), workload_deadline(workload), reference ? reference->image : "");
}

void Client::unload_workload(int id) { state_->call("unload_workload", {{"id", id}}, short_deadline); }

Recorded Client::load_member(const Member& member) {
  const Json reply = state_->call("load_member", {{"member", Json::parse(to_json(member))}}, load_deadline);
  const Recorded recorded = recorded_from_json(reply.at("recorded").dump());
  state_->member_us[member.id] = recorded.first_us * recorded.launches;
  return recorded;
}

void Client::unload_member(int id) {
  state_->member_us.erase(id);
  state_->call("unload_member", {{"id", id}}, short_deadline);
}

Verdict Client::verify(const VerifyRequest& request) {
  const Json reply = state_->call("verify", {{"candidate", Json::parse(to_json(request))}}, request.deadline);
  return verdict_from_json(reply.at("verdict").dump());
}

Verdict Client::run_once(const VerifyRequest& request) {
  const Json reply = state_->call("run_once", {{"candidate", Json::parse(to_json(request))}}, request.deadline);
  return verdict_from_json(reply.at("verdict").dump());
}

std::vector<double> Client::round(const std::vector<int>& ids, std::uint64_t seed) {
  double expected_us = 0;
  for (const int id : ids) expected_us += state_->member_us[id];
  const milliseconds deadline(5000 + static_cast<std::int64_t>(expected_us / 1000 * 20));
  const Json reply = state_->call("round", {{"ids", ids}, {"seed", seed}}, deadline);
  return reply.at("us").get<std::vector<double>>();
}

Verdict Client::check_timed(int id, std::int64_t chain) {
  const Json reply = state_->call("check_timed", {{"id", id}, {"chain", chain}}, load_deadline);
  return verdict_from_json(reply.at("verdict").dump());
}

Conditions Client::conditions() {
  return conditions_from_json(state_->call("conditions", Json::object(), short_deadline).at("conditions").dump());
}

void Client::bye() {
  try {
    state_->call("bye", Json::object(), short_deadline);
    state_->connection.close();
  } catch (const WorkerLost&) {
  }
}

}  // namespace tuner::worker
