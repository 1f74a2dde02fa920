#include "tune/session.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
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

// The worker's command, put where the launcher wants it.
std::vector<std::string> worker_command(const SweepOptions& options) {
  const std::string& program = options.worker.empty() ? options.program : options.worker;
  const std::vector<std::string> worker{program, "worker", "--device", worker_device(options.device)};
  std::vector<std::string> command = options.launcher;
  auto at = std::find(command.begin(), command.end(), "{}");
  if (at != command.end()) at = command.erase(at);
  command.insert(at, worker.begin(), worker.end());
  return command;
}

namespace {

worker::Options worker_options(const SweepOptions& options) {
  worker::Options worker{worker_command(options), {}, options.stop};
  worker.launched = !options.launcher.empty();
  if (worker.launched && options.wait_s > 0)
    worker.start_deadline = std::chrono::milliseconds(static_cast<std::int64_t>(options.wait_s * 1000));
  return worker;
}

}  // namespace

GpuFacts device_of(const SweepOptions& options) {
  worker::Client client = worker::Client::start(worker_options(options));
  GpuFacts gpu = client.gpu();
  client.bye();
  return gpu;
}

Session open_session(const SweepOptions& options, compile::Cache& cache, Observer& observer,
                     const std::function<void(const GpuFacts&)>& check, NeededCompilers needed) {
  compile::set_include_folders({(std::filesystem::path(options.templates) / "include").string()});
  Session session;
  const bool host = options.device == "host";
  const worker::Options worker = worker_options(options);
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
    session.builder = std::make_unique<Builder>(compiling, true, session.spent.get(), options.builds);
  } else {
    compiling.nvrtc = compile::choose_nvrtc(options.nvrtc, session.gpu().arch, session.gpu().cuda_driver);
    compiling.arch = arch_text(session.gpu().arch);
    if (needed.nvcc) compiling.nvcc = compile::choose_nvcc();
    session.facts.nvrtc = compilers_text(compiling, needed);
    session.builder = std::make_unique<Builder>(compiling, false, session.spent.get(), options.builds);
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
