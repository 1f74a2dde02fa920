// What look-up and commands ask of manifests, and of this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "core/metric.h"
#include "spec/catalog.h"
#include "store/lookup.h"
#include "store/store.h"

namespace tuner::cli {

// The kernels of all folders; broken manifests are warned of, once each. Throws as Catalog::load.
spec::Catalog load_catalog(const Context& context);

// Throws UserError as Catalog::at; of a kernel with results and without a manifest the hint names --kernels.
const spec::KernelSpec& kernel_named(const Context& context, const spec::Catalog& catalog, const std::string& kernel,
                                     const std::string& where);

// `catalog` must outlive what is returned.
store::KernelKnowledge knowledge_of(const spec::Catalog& catalog, const std::string& regime = spec::plain_regime);

// The metrics of a kernel that may be gone: then none.
std::vector<Metric> metrics_of(const spec::Catalog& catalog, const Problem& problem, const Config& config,
                               const GpuFacts& gpu, double time_us);

// Asks a process of its own, which may die: of "host", "cuda:N" or "auto", the first GPU. Throws MachineError or
// worker::WorkerLost.
GpuFacts device_facts(const Context& context, const std::string& device);

// The GPU that is here and that --device means, asked of a child process; empty when there is none. For
// `--device host` the host device.
std::optional<GpuFacts> gpu_here(const Context& context);

// The version of the NVRTC that would compile for this GPU, as the names of the files say it, because a look-up has no
// time to open them; empty where they do not.
std::string nvrtc_of_files(const Context& context, const GpuFacts& gpu);

// The layers of results; warnings go to stderr.
store::Layers open_layers(const Context& context);

// All results in whole; warnings of damaged ones go to stderr.
const std::vector<store::Entry>& whole_entries(const Context& context, const store::Layers& layers);

// The database for reading; empty when there is no file yet.
std::optional<store::Store> open_database(const Context& context);

// The database for writing, made where there is none. Throws MachineError where it cannot be, UserError for a named
// file that is no database.
store::Store open_for_writing(const Places& places);

}  // namespace tuner::cli
