#include "report/run_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/format.h"
#include "report/step_text.h"

namespace tuner::report {
namespace {

std::string dim_text(const Dim3& dim) { return fmt::format("{}x{}x{}", dim.x, dim.y, dim.z); }

std::string step_text(const Step& step, const Artifact& artifact) {
  if (step.kind == Step::Kind::memset) return fmt::format("memset   {} to {}\n", step.argument, step.byte);
  std::string out =
      fmt::format("launch   {}  grid {}  block {}", step.entry, dim_text(step.grid), dim_text(step.block));
  const KernelAttributes* kernel = artifact.find(step.entry);
  const std::int64_t fixed = kernel ? kernel->static_shared_bytes : 0;
  out += fmt::format("  shared {}", bytes_text(step.shared_bytes + fixed));
  out += launch_extras(step);
  if (kernel && kernel->registers > 0) out += fmt::format("  registers {}", kernel->registers);
  return out + "\n";
}

}  // namespace

std::string run_text(const tune::Ran& ran, const Problem& problem, const std::string& origin, const Style& style) {
  std::string out = fmt::format("problem  {} {}\n", problem.kernel, shape_text(problem.dims));
  out += fmt::format("device   {} ({})\n", ran.emulated ? "host" : gpu_text(ran.gpu),
                     ran.emulated ? ran.compiler : compiler_text(ran.compiler));
  out += fmt::format("config   {}  ({})\n", ran.config.label(), origin);
  for (const Step& step : ran.execution.steps) out += step_text(step, ran.artifact);
  out += ran.verdict.ok() ? "ran      once\n" : "";
  return style.text(out);
}

std::string run_json(const tune::Ran& ran, const Problem& problem, const std::string& origin) {
  using Json = nlohmann::ordered_json;
  Json json{{"schema", 1},
            {"kernel", problem.kernel},
            {"shape", problem.dims},
            {"facts", Json::parse(to_json(problem.facts))},
            {"gpu", ran.gpu.name},
            {"emulated", ran.emulated},
            {"compiler", ran.compiler},
            {"params", Json::parse(to_json(ran.config))},
            {"origin", origin},
            {"steps", Json::array()}};
  for (const Step& step : ran.execution.steps) {
    if (step.kind == Step::Kind::memset) {
      json["steps"].push_back({{"memset", step.argument}, {"value", step.byte}});
      continue;
    }
    const KernelAttributes* kernel = ran.artifact.find(step.entry);
    json["steps"].push_back({{"launch", step.entry},
                             {"grid", {step.grid.x, step.grid.y, step.grid.z}},
                             {"block", {step.block.x, step.block.y, step.block.z}},
                             {"shared_bytes", step.shared_bytes + (kernel ? kernel->static_shared_bytes : 0)},
                             {"registers", kernel ? Json(kernel->registers) : Json(nullptr)}});
    json["steps"].back().update(Json::parse(launch_extras_json(step)));
  }
  json["cubin_hash"] = ran.artifact.cubin_hash;
  json["reason"] = ran.verdict.ok() ? Json(nullptr) : Json(to_text(ran.verdict.reason));
  json["detail"] = ran.verdict.detail;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
