#include "tune/session.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compile/host_build.h"
#include "core/error.h"
#include "core/hash.h"

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
  source.entries = {"tuner_fill", "tuner_checksum", "tuner_first_not"};
  source.hash = content_hash(source.text);
  builder.build({source}, [](std::size_t, std::size_t) {});
  if (!builder.has(source.hash)) throw Interrupted();
  const Artifact& artifact = builder.at(source.hash);
  if (!artifact.ok()) throw MachineError("the support kernels do not compile: " + artifact.log, path.string());
  return artifact;
}

}  // namespace

void Builder::build(const std::vector<compile::Source>& sources, const Done& done) {
  std::vector<compile::Source> missing;
  for (const auto& source : sources)
    if (!has(source.hash)) missing.push_back(source);
  std::size_t built = 0;
  const auto keep = [&](std::size_t i, const Artifact& artifact) {
    artifacts_[missing[i].hash] = artifact;
    done(++built, missing.size());
  };
  if (missing.empty()) return;
  if (!host_) return compile::compile_all(missing, options_, keep);
  compile::HostBuildOptions host;
  host.jobs = options_.jobs;
  host.cache = options_.cache;
  host.stop = options_.stop;
  compile::host_build_all(missing, host, keep);
}

Session open_session(const SweepOptions& options, compile::Cache& cache) {
  compile::set_include_folders({(std::filesystem::path(options.templates) / "include").string()});
  Session session;
  const bool host = options.device == "host";
  worker::Options worker{{options.program, "worker", "--device", worker_device(options.device)}, {}};
  session.facts.device = host ? "host" : "cuda";
  session.facts.tool_version = TUNER_VERSION;
  session.facts.command = options.command;
  session.facts.emulated = host;
  // A first worker only tells what the GPU is: the support kernels cannot be compiled before that is known.
  {
    worker::Client scout = worker::Client::start(worker);
    session.facts.gpu = scout.gpu();
    scout.bye();
  }
  compile::CompileOptions compiling;
  compiling.jobs = options.jobs;
  compiling.cache = &cache;
  compiling.stop = options.stop;
  Artifact support;
  if (host) {
    session.facts.nvrtc = compile::host_compiler_version();
    session.builder = std::make_unique<Builder>(compiling, true);
  } else {
    compiling.nvrtc = compile::choose_nvrtc(options.nvrtc, session.gpu().arch, session.gpu().cuda_driver);
    compiling.arch = arch_text(session.gpu().arch);
    session.facts.nvrtc = compiling.nvrtc.version;
    session.builder = std::make_unique<Builder>(compiling, false);
    support = build_support(options, *session.builder);
    session.probes = spec::Catalog::load({(std::filesystem::path(options.templates) / "probes").string()});
  }
  session.bench = std::make_unique<Bench>(worker, support);
  session.bench->client();
  return session;
}

}  // namespace tuner::tune
