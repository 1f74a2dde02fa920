#include "cli/knowledge.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "compile/nvrtc_paths.h"
#include "core/error.h"
#include "core/shell.h"
#include "export/knowledge.h"
#include "spec/metrics.h"
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

namespace {

bool is_asked(const Arguments& arguments, const std::string& kernel) {
  for (const char* name : {"--kernel", "KERNEL"})
    for (const std::string& word : arguments.all(name))
      if (word == kernel) return true;
  return false;
}

}  // namespace

spec::Catalog load_catalog(const Context& context) {
  spec::Catalog catalog = spec::Catalog::load(context.places.kernel_folders);
  for (const spec::BrokenManifest& broken : catalog.broken()) {
    if (!broken.kernel.empty() && is_asked(context.arguments, broken.kernel)) continue;  // its fault is the error
    const std::string& where = broken.fault.where().empty() ? broken.path : broken.fault.where();
    std::cerr << context.notes.text("warning: a manifest is left out: " + where + ": " + broken.fault.what() +
                                    " (tuner check " + shell_word(broken.path) + ")")
              << "\n";
  }
  return catalog;
}

const spec::KernelSpec& kernel_named(const Context& context, const spec::Catalog& catalog, const std::string& kernel,
                                     const std::string& where) {
  if (const spec::KernelSpec* found = catalog.find(kernel)) return *found;
  try {
    return catalog.at(kernel, where);
  } catch (const UserError& fault) {
    const std::vector<spec::BrokenManifest>& broken = catalog.broken();
    if (std::any_of(broken.begin(), broken.end(), [&](const auto& one) { return one.kernel == kernel; })) throw;
    const store::Layers layers = open_layers(context);
    for (const store::Entry& entry : layers.outlines())
      if (entry.result.problem.kernel == kernel)
        throw UserError(fault.what(), fault.where(),
                        "there are results of it (" + entry.layer +
                            "): name the folder of its manifest with --kernels DIR, or in $TUNER_KERNELS");
    throw;
  }
}

store::KernelKnowledge knowledge_of(const spec::Catalog& catalog, const std::string& regime) {
  store::KernelKnowledge knowledge = exporting::knowledge_of(catalog, regime);
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

std::vector<Metric> metrics_of(const spec::Catalog& catalog, const Problem& problem, const Config& config,
                               const GpuFacts& gpu, double time_us) {
  const spec::KernelSpec* kernel = catalog.find(problem.kernel);
  return kernel == nullptr ? std::vector<Metric>{} : spec::metrics_of(*kernel, problem, config, gpu, time_us);
}

GpuFacts device_facts(const Context& context, const std::string& device) {
  worker::Options options;
  options.command = {context.places.program, "worker", "--device",
                     device == "auto" || device == "all" ? "cuda:0" : device};
  worker::Client client = worker::Client::start(options);
  GpuFacts gpu = client.gpu();
  client.bye();
  return gpu;
}

std::optional<GpuFacts> gpu_here(const Context& context) {
  const std::string device = context.arguments.text("--device", "auto");
  if (device != "host" && !gpu_device_exists()) return std::nullopt;
  try {
    return device_facts(context, device);
  } catch (const MachineError&) {
    // A look-up needs no GPU; `doctor` says what is wrong with this one.
    return std::nullopt;
  } catch (const worker::WorkerLost&) {
    return std::nullopt;
  }
}

std::string nvrtc_of_files(const Context& context, const GpuFacts& gpu) {
  const std::string named = context.arguments.text("--nvrtc", process_environment("TUNER_NVRTC").value_or(""));
  const auto files = named.empty() ? compile::nvrtc_files(compile::nvrtc_folders()) : std::vector{named};
  std::vector<int> newest;
  for (const std::string& file : files) {
    std::error_code error;
    const std::string name = std::filesystem::weakly_canonical(file, error).filename().string();
    std::vector<int> version(3);
    char rest = 0;
    if (std::sscanf(name.c_str(), "libnvrtc.so.%d.%d.%d%c", &version[0], &version[1], &version[2], &rest) != 3)
      return {};  // it may be the newest
    if (gpu.cuda_driver > 0 && version[0] > gpu.cuda_driver / 1000) continue;
    newest = std::max(newest, version);
  }
  if (newest.empty()) return {};
  return std::to_string(newest[0]) + "." + std::to_string(newest[1]) + "." + std::to_string(newest[2]);
}

store::Layers open_layers(const Context& context) {
  std::vector<std::string> warnings = context.places.warnings;
  store::Layers layers = store::Layers::open(context.places.layers(), warnings);
  for (const std::string& warning : warnings) std::cerr << context.notes.text("warning: " + warning) << "\n";
  return layers;
}

const std::vector<store::Entry>& whole_entries(const Context& context, const store::Layers& layers) {
  const std::vector<store::Entry>& entries = layers.entries();
  for (const std::string& warning : layers.warnings()) std::cerr << context.notes.text("warning: " + warning) << "\n";
  return entries;
}

std::optional<store::Store> open_database(const Context& context) {
  std::error_code error;
  if (context.places.database.empty() || !std::filesystem::exists(context.places.database, error)) return std::nullopt;
  return store::Store::open(context.places.database, store::Store::Mode::read_only);
}

store::Store open_for_writing(const Places& places) {
  if (places.database.empty())
    throw MachineError("there is no place for the database: neither HOME nor XDG_DATA_HOME is set", {},
                       "give --db FILE");
  const std::filesystem::path folder = std::filesystem::path(places.database).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error)
    throw MachineError("the folder of the database cannot be made: " + error.message(), folder.string(),
                       "give --db FILE");
  try {
    return store::Store::open(places.database, store::Store::Mode::read_write);
  } catch (const UserError& failure) {
    // Nobody named it, so nobody's flag is wrong: the tool's own file is damaged or foreign.
    if (places.database_named) throw;
    throw MachineError(failure.what(), failure.where(), "tuner doctor --repair sets it aside; or give --db FILE");
  }
}

}  // namespace tuner::cli
