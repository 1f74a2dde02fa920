#include "cli/knowledge.h"

#include <filesystem>
#include <iostream>

#include "core/error.h"
#include "export/knowledge.h"
#include "spec/resolve.h"
#include "worker/client.h"

namespace tuner::cli {
namespace {

bool gpu_device_exists() {
  std::error_code error;
  for (const char* path : {"/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"})
    if (std::filesystem::exists(path, error)) return true;
  return false;
}

// Where no GPU is here and none is known, the default is that of a GPU that any template runs on.
GpuFacts with_limits(const GpuFacts& gpu) { return gpu.arch == 0 ? gpu_of_arch(90) : gpu; }

}  // namespace

store::KernelKnowledge knowledge_of(const spec::Catalog& catalog) {
  store::KernelKnowledge knowledge = exporting::knowledge_of(catalog);
  knowledge.problem = [&catalog](const std::string& kernel, const std::vector<std::int64_t>& dims, const Facts& facts) {
    return spec::make_problem(catalog.at(kernel, "--kernel"), dims, facts, facts.empty() ? "--shape" : "--set");
  };
  knowledge.why_illegal = [ask = knowledge.why_illegal](const Problem& problem, const Config& config,
                                                        const GpuFacts& gpu) {
    return ask(problem, config, with_limits(gpu));
  };
  knowledge.default_config = [ask = knowledge.default_config](const Problem& problem, const GpuFacts& gpu) {
    return ask(problem, with_limits(gpu));
  };
  knowledge.steps = [ask = knowledge.steps](const Problem& problem, const Config& config, const GpuFacts& gpu) {
    return ask(problem, config, with_limits(gpu));
  };
  knowledge.deterministic = [ask = knowledge.deterministic](const Problem& problem, const Config& config,
                                                            const GpuFacts& gpu) {
    return ask(problem, config, with_limits(gpu));
  };
  return knowledge;
}

std::optional<GpuFacts> gpu_here(const Context& context) {
  std::string device = context.arguments.text("--device", "auto");
  if (device != "host" && !gpu_device_exists()) return std::nullopt;
  if (device == "auto") device = "cuda:0";
  worker::Options options;
  options.command = {context.places.program, "worker", "--device", device};
  try {
    worker::Client client = worker::Client::start(options);
    GpuFacts gpu = client.gpu();
    client.bye();
    return gpu;
  } catch (const MachineError&) {
    // A look-up needs no GPU; `doctor` says what is wrong with this one.
    return std::nullopt;
  } catch (const worker::WorkerLost&) {
    return std::nullopt;
  }
}

store::Layers open_layers(const Context& context) {
  std::vector<std::string> warnings;
  store::Layers layers = store::Layers::open(context.places.layers(), warnings);
  for (const std::string& warning : warnings) std::cerr << context.notes.text("warning: " + warning) << "\n";
  return layers;
}

std::optional<store::Store> open_database(const Context& context) {
  std::error_code error;
  if (context.places.database.empty() || !std::filesystem::exists(context.places.database, error)) return std::nullopt;
  return store::Store::open(context.places.database, store::Store::Mode::read_only);
}

}  // namespace tuner::cli
