#include "report/check_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "report/format.h"
#include "report/metric_text.h"
#include "report/visible.h"

namespace tuner::report {
namespace {

using Json = nlohmann::ordered_json;

std::string fault_text(const UserError& fault) {
  std::string out = fmt::format("{}: {}\n", fault.where(), fault.what());
  if (!fault.hint().empty()) out += fmt::format("  hint: {}\n", fault.hint());
  return out;
}

bool is_launched(const Execution& execution, const std::string& entry) {
  return std::any_of(execution.steps.begin(), execution.steps.end(),
                     [&](const Step& step) { return step.kind == Step::Kind::launch && step.entry == entry; });
}

bool is_passed(const Execution& execution, const Argument& argument) {
  return std::any_of(execution.steps.begin(), execution.steps.end(),
                     [&](const Step& step) { return step.kind == Step::Kind::launch && takes(step, argument); });
}

std::string compiled_text(const CheckReport& report) {
  if (!report.compiled)
    return fmt::format("compile    not for a GPU: {}\n", report.no_compiler.substr(0, report.no_compiler.find("; ")));
  const tune::GpuCompile& compiled = *report.compiled;
  std::string out = fmt::format("compile    {} for {}", compiler_text(compiled.compiler), arch_text(compiled.arch));
  if (!compiled.artifact.ok())
    return out + fmt::format(": {}\n{}\n", title(compiled.artifact.reason), compiled.artifact.log);
  for (const KernelAttributes& kernel : compiled.artifact.kernels)
    if (is_launched(compiled.execution, kernel.entry))
      out += fmt::format(", {} {} registers", kernel.entry, kernel.registers);
  if (compiled.artifact.spill_bytes > 0) out += fmt::format(", spills {}", bytes_text(compiled.artifact.spill_bytes));
  out += "\n";
  if (!compiled.reference_log.empty())
    return out + fmt::format("reference  does not compile\n{}\n", compiled.reference_log);
  for (const std::string& mismatch : compiled.mismatches) out += "arguments  " + mismatch + "\n";
  if (!compiled.mismatches.empty()) return out;
  out += "arguments ";
  for (const Argument& argument : compiled.execution.arguments)
    if (is_passed(compiled.execution, argument))
      out += fmt::format(" {} ({})", argument.name, argument.parameter_bytes());
  return out + ": the kernel takes as many bytes\n";
}

std::string awkward_text(const tune::Check& check) {
  const auto shapes = [](std::size_t n) {
    return count(static_cast<std::int64_t>(n), "awkward shape", "awkward shapes");
  };
  if (check.awkward_all == 0 && !check.files.empty())
    return fmt::format(" alone: the file of {} has one size, which the awkward shapes have not",
                       fmt::join(check.files, ", "));
  if (check.awkward_all == 0) return {};
  if (check.awkward == 0)
    return fmt::format(" alone: it is legal at none of {}, name others ('awkward')", shapes(check.awkward_all));
  if (check.awkward == check.awkward_all) return " and " + shapes(check.awkward);
  return fmt::format(" and {} of {}", check.awkward, shapes(check.awkward_all));
}

std::string verified_text(const tune::Check& check) {
  const std::string where = fmt::format("{} ({})", check.emulated ? "the host device" : gpu_text(check.gpu),
                                        check.emulated ? check.compiler : compiler_text(check.compiler));
  if (!check.verdict.ok()) {
    // A detail that is of another shape says so itself.
    const std::string& detail = check.verdict.detail;
    const std::string at = detail.rfind("at ", 0) == 0 ? "" : "at " + shape_text(check.problem.dims) + ": ";
    return fmt::format("verify     {} on {}: {}{}\n", title(check.verdict.reason), where, at, detail);
  }
  const std::string at = shape_text(check.problem.dims) + awkward_text(check);
  if (!check.judged)
    return fmt::format("verify     it runs on {} at {}; 'reference' says of no result whether it is right\n", where,
                       at);
  return fmt::format("verify     right on {} at {}\n", where, at);
}

std::string metrics_text(const std::vector<Metric>& metrics) {
  if (metrics.empty()) return {};
  std::string out = fmt::format("metrics    {}, if it took 1 µs\n", metrics_line(metrics));
  for (const Metric& metric : metrics)
    if (!metric.value) out += fmt::format("           {} is left out: {}\n", metric.name, one_line(metric.why));
  return out;
}

std::string space_text(const CheckReport& report) {
  const tune::Check& check = *report.check;
  std::string out = fmt::format("space      {} at {}{}", count(check.configs, "configuration", "configurations"),
                                shape_text(check.problem.dims), report.example ? ", an example: see --shape" : "");
  for (const auto& [why, number] : check.excluded) out += fmt::format("\n           without {}: {}", number, why);
  return out + "\n";
}

std::string open_text(const CheckReport& report) {
  std::string out;
  for (const std::string& line : report.open) out += "open       " + line + "\n";
  return out;
}

Json faults_json(const std::vector<UserError>& faults) {
  Json list = Json::array();
  for (const UserError& fault : faults) {
    std::string_view where = fault.where();
    const auto cut = [&where] {
      const std::size_t colon = where.rfind(':');
      int number = 0;
      if (colon == std::string_view::npos) return number;
      std::from_chars(where.data() + colon + 1, where.data() + where.size(), number);
      where = where.substr(0, colon);
      return number;
    };
    const int column = cut();
    const int line = cut();
    list.push_back({{"line", line}, {"column", column}, {"what", fault.what()}, {"hint", fault.hint()}});
  }
  return list;
}

Json compiled_json(const tune::GpuCompile& compiled) {
  const bool nvcc = compiler_text(compiled.compiler) == compiled.compiler;
  Json json{{"compiler", compiler_text(compiled.compiler)},
            {"nvrtc", nvcc ? Json(nullptr) : Json(compiled.compiler)},
            {"arch", arch_text(compiled.arch)},
            {"reason", compiled.artifact.ok() ? Json(nullptr) : Json(to_text(compiled.artifact.reason))},
            {"log", compiled.artifact.log},
            {"spill_bytes", compiled.artifact.spill_bytes},
            {"kernels", Json::array()},
            {"mismatches", compiled.mismatches},
            {"reference_log", compiled.reference_log}};
  for (const KernelAttributes& kernel : compiled.artifact.kernels)
    json["kernels"].push_back(
        {{"entry", kernel.entry}, {"registers", kernel.registers}, {"parameter_bytes", kernel.parameter_bytes}});
  return json;
}

}  // namespace

std::string check_text(const CheckReport& report, const Style& style) {
  std::string out;
  for (const UserError& fault : report.faults) out += fault_text(fault);
  if (!report.faults.empty()) return style.text(out + open_text(report));
  out += fmt::format("manifest   {} ({})\n", report.kernel, report.path);
  if (report.check) out += space_text(report);
  if (report.check) out += fmt::format("config     {}\n", report.check->config.label());
  if (report.check) out += metrics_text(report.check->metrics);
  out += compiled_text(report);
  if (report.check) out += verified_text(*report.check);
  out += open_text(report);
  if (!report.next.empty()) out += "next       " + report.next + "\n";
  return style.text(out);
}

std::string check_json(const CheckReport& report) {
  Json json{{"schema", 1},
            {"manifest", report.path},
            {"kernel", report.kernel},
            {"faults", faults_json(report.faults)},
            {"open", report.open}};
  if (report.compiled) json["compiled"] = compiled_json(*report.compiled);
  if (!report.no_compiler.empty()) json["not_compiled"] = report.no_compiler;
  if (report.check) {
    const tune::Check& check = *report.check;
    json["shape"] = check.problem.dims;
    json["example"] = report.example;
    json["facts"] = Json::parse(to_json(check.problem.facts));
    json["configs"] = check.configs;
    json["excluded"] = check.excluded;
    json["params"] = Json::parse(to_json(check.config));
    json["metrics"] = Json::parse(metrics_json(check.metrics));
    json["gpu"] = check.gpu.name;
    json["emulated"] = check.emulated;
    json["compiler"] = check.compiler;
    json["awkward_shapes"] = check.awkward;
    json["judged"] = check.judged;
    json["reason"] = check.verdict.ok() ? Json(nullptr) : Json(to_text(check.verdict.reason));
    json["detail"] = check.verdict.detail;
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
