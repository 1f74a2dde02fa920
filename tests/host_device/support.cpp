#include "support.h"

#include <fstream>
#include <map>
#include <sstream>

#include "core/hash.h"

namespace tuner::test {

compile::Source source_of(const std::string& text, const std::vector<std::string>& entries) {
  static const std::vector<compile::Header> headers = [] {
    std::vector<compile::Header> read;
    for (const std::string name : {"tuner_intrinsics.cuh", "tuner_cluster.cuh", "tuner_bulk.cuh",
                                   "tuner_async_store.cuh", "tuner_codes8.cuh", "tuner_nibbles.cuh"}) {
      std::ifstream file(TUNER_SOURCE_DIR "/kernel_templates/include/" + name);
      std::ostringstream all;
      all << file.rdbuf();
      read.push_back({name, all.str()});
    }
    return read;
  }();
  compile::Source source;
  source.name = "test.cu";
  source.text = "#line 1 \"test.cu\"\n" + text;
  source.headers = headers;
  source.entries = entries;
  source.hash = content_hash(source.text);
  return source;
}

std::vector<Artifact> build(const std::vector<compile::Source>& sources, compile::HostBuildOptions options) {
  std::vector<Artifact> artifacts(sources.size());
  compile::host_build_all(sources, options, [&](std::size_t i, const Artifact& artifact) { artifacts[i] = artifact; });
  return artifacts;
}

Launched launch(const Launch& launch) {
  static std::map<std::string, Artifact> built;
  const auto [known, fresh] = built.emplace(launch.text, Artifact{});
  if (fresh) known->second = build({source_of(launch.text)}).front();
  const Artifact& artifact = known->second;
  if (!artifact.ok()) throw std::runtime_error(artifact.log);
  const auto device = device::open_host();
  Execution execution;
  device::Bindings bindings;
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    Argument argument;
    argument.name = std::string(1, static_cast<char>('a' + i));
    argument.type = Type::i32;
    argument.elements = launch.buffers[i];
    execution.arguments.push_back(argument);
    bindings.push_back(device->allocate(argument.bytes(), launch.placement));
  }
  Step step;
  step.entry = "kernel";
  step.grid = launch.grid;
  step.block = launch.block;
  step.shared_bytes = launch.shared_bytes;
  step.cluster = launch.cluster;
  step.cooperative = launch.cooperative;
  execution.steps = {step};
  const auto module = device->load(artifact);
  Launched launched;
  device::RunOptions options;
  options.order_seed = launch.order_seed;
  launched.result = device->run({module, &execution, bindings}, options, device::Clock::now() + launch.deadline);
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    std::vector<int> values(static_cast<std::size_t>(launch.buffers[i]));
    device->download(bindings[i], std::as_writable_bytes(std::span(values)));
    launched.buffers.push_back(std::move(values));
  }
  device->unload(module);
  return launched;
}

}  // namespace tuner::test
