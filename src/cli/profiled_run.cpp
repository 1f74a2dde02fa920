#include "cli/profiled_run.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/stop.h"
#include "core/error.h"
#include "profile/metrics.h"
#include "spec/resolve.h"

namespace tuner::cli {
namespace {

// This binary by its path: under ncu /proc/self/exe is another one.
std::string own_path(const Context& context) {
  std::error_code error;
  const auto path = std::filesystem::canonical(context.places.program, error);
  if (error) throw MachineError("this program's file is not there any more", context.places.program);
  return path.string();
}

std::vector<std::string> run_command(const Context& context, const Problem& problem, const Config& config) {
  const Arguments& arguments = context.arguments;
  std::vector<std::string> command{own_path(context), "run", problem.kernel};
  for (const auto& [name, value] : config.params) command.push_back(name + "=" + to_text(value));
  command.insert(command.end(), {"--shape", shape_text(problem.dims), "--json", "--quiet"});
  for (const char* flag : {"--set", "--device", "--db", "--nvrtc", "--kernels", "--wait"})
    for (const std::string& value : arguments.all(flag)) command.insert(command.end(), {flag, value});
  for (const char* flag : {"--allow-mps", "--allow-host-code"})
    if (arguments.has(flag)) command.emplace_back(flag);
  return command;
}

std::vector<std::string> launches_of(const spec::KernelSpec& kernel, const Problem& problem, const Config& config,
                                     const GpuFacts& gpu) {
  std::vector<std::string> entries;
  for (const Step& step : spec::resolve(kernel, problem, config, gpu).steps)
    if (step.kind == Step::Kind::launch) entries.push_back(step.entry);
  return entries;
}

// The document that `tuner run --json` printed, among what else stands on the same stream; null where it printed none.
nlohmann::json document_in(const std::string& out) {
  const auto begin = out.find("{\n"), end = out.rfind('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return nullptr;
  nlohmann::json document = nlohmann::json::parse(out.substr(begin, end + 1 - begin), nullptr, false);
  return document.is_object() ? document : nlohmann::json();
}

// What stands between two marks, or up to the end of the text; empty without the first.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + from.size();
  return text.substr(begin, std::min(text.find(to, begin), text.size()) - begin);
}

// The error that `tuner run` ended with, in its own words.
[[noreturn]] void fail_as(const std::string& err, const std::string& program) {
  const std::string text = "\n" + err + "\n";
  std::string what = between(text, "\nerror: ", "\n  hint: ");
  what = what.substr(0, what.rfind("\n  at "));
  while (!what.empty() && what.back() == '\n') what.pop_back();
  if (what.empty()) throw MachineError("'tuner run' printed nothing under ncu", program, err);
  throw MachineError(what, between(text, "\n  at ", "\n"), between(text, "\n  hint: ", "\n"));
}

std::string text_at(const nlohmann::json& document, const char* key) {
  return document.contains(key) && document.at(key).is_string() ? document.at(key).get<std::string>() : std::string();
}

}  // namespace

ProfiledRun profiled_run(const Context& context, const profile::Ncu& ncu, const spec::KernelSpec& kernel,
                         const Problem& problem, const Config& config, const GpuFacts& gpu) {
  profile::Request request;
  request.command = run_command(context, problem, config);
  request.range = candidate_range;
  request.launches = launches_of(kernel, problem, config, gpu);
  request.metrics = profile::metric::all(gpu.arch);
  request.stop = stop_requested;
  profile::Counted counted = profile::count(ncu, request);
  const nlohmann::json document = document_in(counted.out);
  ProfiledRun run;
  if (document.is_null()) fail_as(counted.err, ncu.path);
  const std::string reason = text_at(document, "reason");
  if (!reason.empty()) {
    const auto known = reason_from_text(reason);
    run.failure = std::string(known ? title(*known) : reason) + ": " + text_at(document, "detail");
    return run;
  }
  if (counted.launches.empty()) {
    run.failure = "ncu counted no launch";
    return run;
  }
  run.counters = Counters{"ncu " + ncu.version, gpu.driver, text_at(document, "cubin_hash"), {}, counted.launches};
  return run;
}

}  // namespace tuner::cli
