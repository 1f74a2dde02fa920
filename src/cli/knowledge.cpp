#include "cli/knowledge.h"

#include <filesystem>
#include <iostream>

#include "core/error.h"
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

// A GPU's identity where only its limits matter to the constraints: an answer for a GPU nobody has seen.
GpuFacts with_limits(const GpuFacts& gpu) { return gpu.arch == 0 ? gpu_of_arch(90) : gpu; }

}  // namespace

std::optional<std::string> why_illegal(const spec::KernelSpec& kernel, const Problem& problem, const Config& config,
                                       const GpuFacts& gpu) {
  if (const auto why = spec::why_not_on(kernel, problem, gpu)) return why;
  return kernel.space.why_illegal(spec::base_scope(kernel, problem, gpu), config);
}

store::KernelKnowledge knowledge_of(const spec::Catalog& catalog) {
  store::KernelKnowledge knowledge;
  knowledge.kernels = [&catalog] { return catalog.names(); };
  knowledge.dims = [&catalog](const std::string& kernel) {
    const spec::KernelSpec* found = catalog.find(kernel);
    return found ? found->dims.size() : std::size_t{0};
  };
  knowledge.problem = [&catalog](const std::string& kernel, const std::vector<std::int64_t>& dims, const Facts& facts) {
    return spec::make_problem(catalog.at(kernel, "--kernel"), dims, facts, "--set");
  };
  knowledge.why_illegal = [&catalog](const Problem& problem, const Config& config, const GpuFacts& gpu) {
    return why_illegal(catalog.at(problem.kernel, "--kernel"), problem, config, with_limits(gpu));
  };
  knowledge.default_config = [&catalog](const Problem& problem, const GpuFacts& gpu) {
    return spec::default_config(catalog.at(problem.kernel, "--kernel"), problem, with_limits(gpu));
  };
  knowledge.steps = [&catalog](const Problem& problem, const Config& config, const GpuFacts& gpu) {
    return spec::resolve(catalog.at(problem.kernel, "--kernel"), problem, config, with_limits(gpu)).steps;
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
