#include "worker/protocol.h"

#include <nlohmann/json.hpp>

namespace tuner::worker {
namespace {

using Json = nlohmann::json;

Json parsed(const std::string& text) { return Json::parse(text); }

// Compiler logs and kernel names may hold any bytes.
std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json json_of(const KernelAttributes& k) {
  return {{"entry", k.entry},
          {"symbol", k.symbol},
          {"registers", k.registers},
          {"static_shared_bytes", k.static_shared_bytes},
          {"local_bytes", k.local_bytes},
          {"max_threads", k.max_threads},
          {"parameter_bytes", k.parameter_bytes}};
}

KernelAttributes kernel_of(const Json& j) {
  KernelAttributes k;
  k.entry = j.at("entry");
  k.symbol = j.at("symbol");
  k.registers = j.at("registers");
  k.static_shared_bytes = j.at("static_shared_bytes");
  k.local_bytes = j.at("local_bytes");
  k.max_threads = j.at("max_threads");
  k.parameter_bytes = j.at("parameter_bytes").get<std::vector<int>>();
  return k;
}

Json json_of(const Case& each) {
  return {{"workload", each.workload},
          {"execution", parsed(tuner::to_json(each.execution))},
          {"chain", each.chain},
          {"deterministic", each.deterministic}};
}

Case case_of(const Json& j) {
  Case each;
  each.workload = j.at("workload");
  each.execution = execution_from_json(j.at("execution").dump());
  each.chain = j.at("chain");
  each.deterministic = j.at("deterministic");
  return each;
}

}  // namespace

std::string to_json(const Artifact& artifact) {
  Json kernels = Json::array();
  for (const auto& kernel : artifact.kernels) kernels.push_back(json_of(kernel));
  return text_of({{"host_index", artifact.host_index},
                  {"kernels", kernels},
                  {"spill_bytes", artifact.spill_bytes},
                  {"cubin_hash", artifact.cubin_hash},
                  {"source_hash", artifact.source_hash}});
}

Artifact artifact_from_json(std::string_view text, std::string image) {
  const Json j = Json::parse(text);
  Artifact artifact;
  artifact.image = std::move(image);
  artifact.host_index = j.at("host_index");
  for (const auto& kernel : j.at("kernels")) artifact.kernels.push_back(kernel_of(kernel));
  artifact.spill_bytes = j.at("spill_bytes");
  artifact.cubin_hash = j.at("cubin_hash");
  artifact.source_hash = j.at("source_hash");
  return artifact;
}

std::string to_json(const VerifyRequest& request) {
  Json awkward = Json::array();
  for (const Case& each : request.awkward) awkward.push_back(json_of(each));
  return text_of({{"module", request.module}, {"main", json_of(request.main)}, {"awkward", awkward}});
}

VerifyRequest verify_request_from_json(std::string_view text) {
  const Json j = Json::parse(text);
  VerifyRequest request;
  request.module = j.at("module");
  request.main = case_of(j.at("main"));
  for (const auto& each : j.at("awkward")) request.awkward.push_back(case_of(each));
  return request;
}

std::string to_json(const Member& member) {
  return text_of({{"id", member.id},
                  {"module", member.module},
                  {"workload", member.workload},
                  {"execution", parsed(tuner::to_json(member.execution))},
                  {"vendor_order", member.vendor_order},
                  {"library", member.library},
                  {"needs_verdict", member.needs_verdict}});
}

Member member_from_json(std::string_view text) {
  const Json j = Json::parse(text);
  Member member;
  member.id = j.at("id");
  member.module = j.at("module");
  member.workload = j.at("workload");
  member.execution = execution_from_json(j.at("execution").dump());
  member.vendor_order = j.at("vendor_order");
  member.library = j.at("library");
  member.needs_verdict = j.at("needs_verdict");
  return member;
}

std::string to_json(const Recorded& recorded) {
  return text_of({{"problem", recorded.problem}, {"first_us", recorded.first_us}, {"launches", recorded.launches}});
}

Recorded recorded_from_json(std::string_view text) {
  const Json j = Json::parse(text);
  Recorded recorded;
  recorded.problem = j.at("problem");
  recorded.first_us = j.at("first_us");
  recorded.launches = j.at("launches");
  return recorded;
}

}  // namespace tuner::worker
