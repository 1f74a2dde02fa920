#include "tune/session.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "compile/host_build.h"
#include "core/error.h"
#include "core/hash.h"
#include "tune/claim.h"

namespace tuner::tune {
namespace {

std::string worker_device(const std::string& wanted) { return wanted == "auto" ? "cuda:0" : wanted; }

// The worker's own kernels: fill, checksum, guard check.
Artifact build_support(const SweepOptions& options, Builder& builder) {
  const std::filesystem::path path = std::filesystem::path(options.templates) / "support" / "support.cu";
  std::ifstream file(path);
  if (!file) throw MachineError("the support kernels are missing", path.string(), "reinstall tuner");
  std::stringstream text;
  text << file.rdbuf();
  compile::Source source;
  source.name = "support.cu";
  source.text = text.str();
  source.entries = {"tuner_fill",  "tuner_checksum", "tuner_first_not", "tuner_compare",
                    "tuner_widen", "tuner_leave",    "tuner_feed"};
  source.hash = content_hash(source.text);
  builder.build({source}, [](std::size_t, std::size_t) {});
  if (!builder.has(source.hash)) throw Interrupted();
  const Artifact& artifact = builder.at(source.hash);
  if (!artifact.ok()) throw MachineError("the support kernels do not compile: " + artifact.log, path.string());
  return artifact;
}

ClaimOptions claim_options(const SweepOptions& options) {
  ClaimOptions claim;
  claim.wait_s = options.wait_s;
  claim.shared = options.shared;
  claim.allow_mps = options.allow_mps;
  claim.lock_folders = options.lock_folders;
  claim.command = options.command;
  claim.stop = options.stop;
  return claim;
}

// "13.0.88", "nvcc 13.0.88", or both.
std::string compilers_text(const compile::CompileOptions& compiling, NeededCompilers needed) {
  const std::string nvcc = needed.nvcc ? "nvcc " + compiling.nvcc.version : "";
  if (!needed.nvrtc) return nvcc;
  return compiling.nvrtc.version + (nvcc.empty() ? "" : ", " + nvcc);
}

}  // namespace

NeededCompilers compilers_of(const std::vector<spec::PlannedProblem>& problems) {
  const auto is_nvcc = [](const spec::PlannedProblem& planned) { return planned.kernel->nvcc; };
  return {!std::all_of(problems.begin(), problems.end(), is_nvcc),
          std::any_of(problems.begin(), problems.end(), is_nvcc)};
}

std::vector<compile::Source> Builder::missing(const std::vector<compile::Source>& sources) const {
  std::vector<compile::Source> missing;
  for (const auto& source : sources)
    if (!has(source.hash)) missing.push_back(source);
  return missing;
}

CompileQueue& Builder::queue() {
  if (!queue_) queue_ = std::make_unique<CompileQueue>(options_);
  return *queue_;
}

void Builder::start(const std::vector<compile::Source>& sources) {
  if (!host_) queue().start(missing(sources));
}

void Builder::build(const std::vector<compile::Source>& sources, const Done& done) {
  const std::vector<compile::Source> wanted = missing(sources);
  if (wanted.empty()) return;
  std::optional<TimeSpent::Doing> waiting;
  if (spent_ != nullptr) waiting.emplace(*spent_, Work::compile);
  if (!host_) return queue().wait(wanted, done);
  std::size_t built = 0;
  compile::HostBuildOptions host;
  host.jobs = options_.jobs;
  host.cache = options_.cache;
  host.stop = options_.stop;
  compile::host_build_all(wanted, host, [&](std::size_t i, const Artifact& artifact) {
    artifacts_[wanted[i].hash] = artifact;
    done(++built, wanted.size());
  });
}

const Artifact& Builder::at(const std::string& source_hash) const {
  const auto own = artifacts_.find(source_hash);
  return own != artifacts_.end() ? own->second : queue_->at(source_hash);
}

bool Builder::has(const std::string& source_hash) const {
  return artifacts_.count(source_hash) > 0 || (queue_ && queue_->has(source_hash));
}

// The worker's command, put where the launcher wants it.
std::vector<std::string> worker_command(const SweepOptions& options) {
  const std::vector<std::string> worker{options.program, "worker", "--device", worker_device(options.device)};
  std::vector<std::string> command = options.launcher;
  auto at = std::find(command.begin(), command.end(), "{}");
  if (at != command.end()) at = command.erase(at);
  command.insert(at, worker.begin(), worker.end());
  return command;
}

GpuFacts device_of(const SweepOptions& options) {
  worker::Client client = worker::Client::start({worker_command(options), {}, options.stop});
  GpuFacts gpu = client.gpu();
  client.bye();
  return gpu;
}

Session open_session(const SweepOptions& options, compile::Cache& cache, Observer& observer,
                     const std::function<void(const GpuFacts&)>& check, NeededCompilers needed) {
  compile::set_include_folders({(std::filesystem::path(options.templates) / "include").string()});
  Session session;
  const bool host = options.device == "host";
  worker::Options worker{worker_command(options), {}, options.stop};
  session.facts.device = host ? "host" : "cuda";
  session.facts.tool_version = TUNER_VERSION;
  session.facts.command = options.command;
  session.facts.emulated = host;
  session.facts.shared_gpu = options.shared && !host;
  // Until it is told to open the device the worker only says what that is: the support kernels cannot be compiled
  // before.
  worker::Client first = worker::Client::start(worker);
  session.facts.gpu = first.gpu();
  check(session.gpu());
  if (!host)
    session.lock = claim_gpu(
        session.gpu(), [&first] { return first.users(); }, claim_options(options), observer);
  if (session.gpu().display)
    observer.on_warning("this GPU has a display or a kernel time-out: a launch that takes a second is rejected");
  compile::CompileOptions compiling;
  compiling.jobs = options.jobs;
  compiling.cache = &cache;
  compiling.stop = options.stop;
  Artifact support;
  if (host) {
    session.facts.nvrtc = compile::host_compiler_version();
    session.builder = std::make_unique<Builder>(compiling, true, session.spent.get());
  } else {
    compiling.nvrtc = compile::choose_nvrtc(options.nvrtc, session.gpu().arch, session.gpu().cuda_driver);
    compiling.arch = arch_text(session.gpu().arch);
    if (needed.nvcc) compiling.nvcc = compile::choose_nvcc();
    session.facts.nvrtc = compilers_text(compiling, needed);
    session.builder = std::make_unique<Builder>(compiling, false, session.spent.get());
    support = build_support(options, *session.builder);
    session.probes = spec::Catalog::load({(std::filesystem::path(options.templates) / "probes").string()});
  }
  session.bench = std::make_unique<Bench>(worker, support);
  session.bench->adopt(std::move(first));
  return session;
}

Session open_session(const SweepOptions& options, compile::Cache& cache) {
  Observer nobody;
  return open_session(options, cache, nobody, [](const GpuFacts&) {});
}

}  // namespace tuner::tune
