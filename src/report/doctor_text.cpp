#include "report/doctor_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/format.h"
#include "report/visible.h"

namespace tuner::report {
namespace {

std::string doctor_row(std::string_view name, const std::string& value) {
  return fmt::format("{:<10}{}\n", name, one_line(value));
}

std::string version_of(int cuda) { return fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10); }

std::string gpu_rows(const Checkup& checkup) {
  if (checkup.gpus.empty())
    return doctor_row("driver", "none usable: " + checkup.gpu_problem) +
           doctor_row("gpu", "none; --device host verifies without one");
  const GpuFacts& first = checkup.gpus.front();
  std::string driver = first.driver.empty() ? "loaded" : first.driver;
  if (first.cuda_driver > 0) driver += ", CUDA " + version_of(first.cuda_driver);
  std::string out = doctor_row("driver", driver);
  for (std::size_t i = 0; i < checkup.gpus.size(); ++i) {
    const GpuFacts& gpu = checkup.gpus[i];
    std::string text =
        fmt::format("cuda:{} {}, {}, L2 {}", i, gpu_text(gpu), bytes_text(gpu.memory_bytes), bytes_text(gpu.l2_bytes));
    if (!gpu.mig_profile.empty()) text += ", MIG " + gpu.mig_profile;
    if (gpu.display) text += ", shows a display: kernels are cut off after a while";
    out += doctor_row("gpu", text);
  }
  return out;
}

std::string nvrtc_rows(const Checkup& checkup) {
  if (checkup.nvrtc.empty()) return doctor_row("nvrtc", "none found; give --nvrtc PATH or set TUNER_NVRTC");
  std::string out;
  for (const compile::NvrtcCandidate& candidate : checkup.nvrtc) {
    std::string text = candidate.version.empty() ? candidate.path : candidate.version + "  " + candidate.path;
    if (!candidate.problem.empty())
      text += "  not taken: " + candidate.problem;
    else if (candidate.path == checkup.nvrtc_taken)
      text += "  taken";
    out += doctor_row("nvrtc", text);
  }
  if (checkup.nvrtc_taken.empty() && !checkup.nvrtc_problem.empty())
    out += doctor_row("nvrtc", "none fits: " + checkup.nvrtc_problem);
  return out;
}

std::string program_row(const char* name, const auto& program, const char* without) {
  if (program.path.empty()) return doctor_row(name, std::string("none found: ") + without);
  if (!program.problem.empty()) return doctor_row(name, program.path + "  not taken: " + program.problem);
  return doctor_row(name, program.version + "  " + program.path);
}

}  // namespace

std::string doctor_text(const Checkup& checkup, const Style& style) {
  std::string out = doctor_row("tuner", TUNER_VERSION) + gpu_rows(checkup) + nvrtc_rows(checkup) +
                    program_row("nvcc", checkup.nvcc, "no kernel with `compiler: nvcc`") +
                    program_row("ncu", checkup.ncu, "no counters, which only tuner profile reads");
  out += doctor_row("cublas", checkup.cublas.empty() ? "none found: no vendor baseline" : checkup.cublas);
  out += doctor_row("host", checkup.host_compiler.empty() ? "no C++ compiler: " + checkup.host_problem
                                                          : checkup.host_compiler + ", for --device host");
  for (const auto& [name, value] : checkup.places) out += doctor_row(name, value);
  for (const auto& [name, value] : checkup.layers) out += doctor_row(name, value);
  for (const std::string& one : checkup.damage) out += doctor_row(checkup.repaired ? "repaired" : "damage", one);
  if (!checkup.damage.empty() && !checkup.repaired) out += doctor_row("next", "tuner doctor --repair");
  if (checkup.damage.empty() && checkup.repaired) out += doctor_row("repaired", "nothing: nothing is damaged");
  for (const std::string& warning : checkup.warnings) out += "warning: " + warning + "\n";
  return style.text(out);
}

std::string doctor_json(const Checkup& checkup) {
  using Json = nlohmann::ordered_json;
  Json json{{"schema", 1}, {"version", TUNER_VERSION}};
  json["gpus"] = Json::array();
  for (const GpuFacts& gpu : checkup.gpus)
    json["gpus"].push_back({{"gpu", gpu.name},
                            {"arch", arch_text(gpu.arch)},
                            {"sm_count", gpu.sm_count},
                            {"memory_bytes", gpu.memory_bytes},
                            {"l2_bytes", gpu.l2_bytes},
                            {"driver", gpu.driver},
                            {"cuda_driver", gpu.cuda_driver},
                            {"mig_profile", gpu.mig_profile},
                            {"display", gpu.display}});
  json["gpu_problem"] = checkup.gpu_problem;
  json["nvrtc"] = Json::array();
  for (const compile::NvrtcCandidate& candidate : checkup.nvrtc)
    json["nvrtc"].push_back({{"path", candidate.path},
                             {"version", candidate.version},
                             {"problem", candidate.problem},
                             {"taken", candidate.path == checkup.nvrtc_taken}});
  json["nvrtc_problem"] = checkup.nvrtc_problem;
  json["nvcc"] = {{"path", checkup.nvcc.path}, {"version", checkup.nvcc.version}, {"problem", checkup.nvcc.problem}};
  json["ncu"] = {{"path", checkup.ncu.path}, {"version", checkup.ncu.version}, {"problem", checkup.ncu.problem}};
  json["cublas"] = checkup.cublas;
  json["host_compiler"] = checkup.host_compiler;
  json["places"] = Json::object();
  for (const auto& [name, value] : checkup.places) json["places"][name] = value;
  json["layers"] = Json::object();
  for (const auto& [name, value] : checkup.layers) json["layers"][name] = value;
  json["warnings"] = checkup.warnings;
  json["damage"] = checkup.damage;
  json["repaired"] = checkup.repaired;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
