#include "report/dry_run_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/format.h"
#include "report/table.h"

namespace tuner::report {
namespace {

std::vector<std::string> dry_cells(const std::string& kernel, const std::string& shape, const tune::DryProblem& dry) {
  if (dry.finished) return {kernel, shape, "", "", "", "", "", "", "finished before"};
  if (dry.forbidden) return {kernel, shape, "", "", "", "", "", "", "all forbidden"};
  return {kernel,
          shape,
          std::to_string(dry.candidates),
          std::to_string(dry.distinct_sources),
          std::to_string(dry.missing),
          duration(dry.compile_s),
          duration(dry.device_s),
          bytes_text(dry.memory_bytes),
          dry.searched_in.empty() ? "" : "at most, by " + dry.searched_in};
}

nlohmann::ordered_json dry_json(const tune::DryProblem& dry) {
  return {{"candidates", dry.candidates},    {"distinct_sources", dry.distinct_sources},
          {"compiles_missing", dry.missing}, {"compile_seconds", dry.compile_s},
          {"device_seconds", dry.device_s},  {"device_bytes", static_cast<std::int64_t>(dry.memory_bytes)}};
}

}  // namespace

std::string dry_run_text(const DryRunFigures& figures, const Style& style) {
  const auto& [dry, gpu, emulated, compiler] = figures;
  std::string on = "the host device, " + (compiler.empty() ? "no C++ compiler here" : compiler);
  if (!emulated) {
    on = gpu.sm_count == 0 ? gpu.name : gpu_text(gpu);  // an architecture alone, or a GPU
    on += compiler.empty() ? ", no NVRTC here" : ", " + compiler_text(compiler);
  }
  Table table({{"kernel", false},
               {"shape", false},
               {"candidates"},
               {"sources"},
               {"to compile"},
               {"compiling, about"},
               {emulated ? "host time, about" : "GPU time, about"},
               {"memory"},
               {"", false}});
  for (const tune::DryProblem& one : dry.problems)
    table.add(dry_cells(one.problem.kernel, shape_text(one.problem.dims), one));
  if (dry.problems.size() > 1 || !emulated) table.add(dry_cells("in all", "", dry.total), true);
  std::string memory;
  if (!emulated && dry.total.candidates > 0)
    memory = "  memory: of the GPU, with copies of cold weights and the probes; in all: the most at once\n";
  return style.text("on " + on + "\n") + table.text(style) + style.text(memory);
}

std::string dry_run_json(const DryRunFigures& figures) {
  using Json = nlohmann::ordered_json;
  const GpuFacts& gpu = figures.gpu;
  Json json{{"schema", 1},
            {"gpu", gpu.name},
            {"arch", figures.emulated ? Json(nullptr) : Json(arch_text(gpu.arch))},
            {"emulated", figures.emulated},
            {"compiler", figures.compiler.empty() ? Json(nullptr) : Json(figures.compiler)},
            {"problems", Json::array()}};
  for (const tune::DryProblem& one : figures.dry.problems) {
    Json row{{"kernel", one.problem.kernel},
             {"shape", one.problem.dims},
             {"facts", Json::parse(to_json(one.problem.facts))},
             {"finished_before", one.finished},
             {"all_forbidden", one.forbidden}};
    row.update(dry_json(one));
    json["problems"].push_back(std::move(row));
  }
  json["total"] = dry_json(figures.dry.total);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
