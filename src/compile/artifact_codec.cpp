#include "compile/artifact_codec.h"

#include <nlohmann/json.hpp>

#include "proc/frames.h"

namespace tuner::compile {
namespace {

using nlohmann::json;

constexpr int kVersion = 2;

json to_object(const KernelAttributes& kernel) {
  return {{"entry", kernel.entry},
          {"symbol", kernel.symbol},
          {"registers", kernel.registers},
          {"static_shared_bytes", kernel.static_shared_bytes},
          {"local_bytes", kernel.local_bytes},
          {"max_threads", kernel.max_threads},
          {"parameter_bytes", kernel.parameter_bytes}};
}

KernelAttributes kernel_from(const json& object) {
  KernelAttributes kernel;
  object.at("entry").get_to(kernel.entry);
  object.at("symbol").get_to(kernel.symbol);
  object.at("registers").get_to(kernel.registers);
  object.at("static_shared_bytes").get_to(kernel.static_shared_bytes);
  object.at("local_bytes").get_to(kernel.local_bytes);
  object.at("max_threads").get_to(kernel.max_threads);
  object.at("parameter_bytes").get_to(kernel.parameter_bytes);
  return kernel;
}

Artifact artifact_from(const json& header) {
  Artifact artifact;
  header.at("host_index").get_to(artifact.host_index);
  for (const auto& kernel : header.at("kernels")) artifact.kernels.push_back(kernel_from(kernel));
  header.at("spill_bytes").get_to(artifact.spill_bytes);
  header.at("log").get_to(artifact.log);
  header.at("cubin_hash").get_to(artifact.cubin_hash);
  header.at("source_hash").get_to(artifact.source_hash);
  header.at("compile_ms").get_to(artifact.compile_ms);
  const auto reason = reason_from_text(header.at("reason").get<std::string>());
  if (!reason) throw json::other_error::create(501, "unknown reason", nullptr);
  artifact.reason = *reason;
  return artifact;
}

}  // namespace

std::string encode_artifact(const Artifact& artifact) {
  json header{{"version", kVersion},
              {"host_index", artifact.host_index},
              {"kernels", json::array()},
              {"spill_bytes", artifact.spill_bytes},
              {"log", artifact.log},
              {"cubin_hash", artifact.cubin_hash},
              {"source_hash", artifact.source_hash},
              {"compile_ms", artifact.compile_ms},
              {"reason", to_text(artifact.reason)}};
  for (const auto& kernel : artifact.kernels) header["kernels"].push_back(to_object(kernel));
  return proc::encode_frame({header.dump(-1, ' ', false, json::error_handler_t::replace), artifact.image});
}

std::optional<Artifact> decode_artifact(std::string_view bytes) {
  proc::Frame frame;
  if (!proc::decode_frame(bytes, frame)) return std::nullopt;
  const auto header = json::parse(frame.header, nullptr, false);
  if (!header.is_object()) return std::nullopt;
  try {
    if (header.at("version") != kVersion) return std::nullopt;
    Artifact artifact = artifact_from(header);
    artifact.image = std::move(frame.payload);
    return artifact;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace tuner::compile
