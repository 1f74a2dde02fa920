#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "cli/cache_place.h"
#include "cli/commands.h"
#include "cli/next_command.h"
#include "cli/open_lines.h"
#include "cli/stop.h"
#include "cli/sweep_options.h"
#include "core/error.h"
#include "core/shell.h"
#include "report/check_text.h"
#include "report/format.h"
#include "report/terminal_report.h"
#include "spec/resolve.h"

namespace tuner::cli {
namespace {

spec::PlannedProblem planned_problem(const Context& context, const spec::KernelSpec& kernel) {
  const Arguments& arguments = context.arguments;
  const Facts facts = parse_assignments(arguments.all("--set"), "--set");
  if (!arguments.has("--shape")) return {&kernel, tune::example_problem(kernel, facts), {}};
  const auto dims = parse_shape(arguments.text("--shape"), "--shape");
  spec::make_problem(kernel, dims, {}, "--shape");
  return {&kernel, spec::make_problem(kernel, dims, facts, "--set"), {}};
}

void compile_default(report::CheckReport& report, const spec::PlannedProblem& planned,
                     const tune::SweepOptions& options, compile::Cache& cache) {
  try {
    report.compiled = tune::compile_for_gpu(planned, options, cache);
    if (!report.compiled) report.no_compiler = "it runs on none that is known";
  } catch (const MachineError& failure) {
    report.no_compiler = failure.what();
  }
}

// On the GPU that is here; without one, and unless one was asked for, on the host device.
tune::Check verify(const spec::PlannedProblem& planned, tune::SweepOptions options, compile::Cache& cache,
                   tune::Observer& observer) {
  if (options.device == "auto") {
    try {
      return tune::check(planned, options, cache, observer);
    } catch (const MachineError&) {
      options.device = "host";
    }
  }
  return tune::check(planned, options, cache, observer);
}

std::string next_command(const Context& context, const spec::PlannedProblem& planned, bool emulated) {
  const std::string folder = std::filesystem::path(planned.kernel->path)
                                 .parent_path()
                                 .lexically_relative(std::filesystem::current_path())
                                 .string();
  return with_question(context, "tuner sweep --kernels " + shell_word(folder) + " " +
                                    problem_words(*planned.kernel, planned.problem) +
                                    (emulated ? " --device host" : ""));
}

// Shapes that nobody chose may be what took long, and the references at them.
void tell_time(const Context& context, const spec::PlannedProblem& planned, const tune::Check& check,
               std::chrono::duration<double> took) {
  constexpr std::chrono::seconds long_time{20};
  if (context.quiet || took < long_time || !check.verdict.ok() || check.awkward == 0 || planned.kernel->awkward_given)
    return;
  std::cerr << context.notes.text("note: verifying took " + std::to_string(std::lround(took.count())) + " s; " +
                                  smaller_awkward(planned.problem.dims.size()))
            << "\n";
}

void fail_for(const report::CheckReport& report) {
  const std::string& path = report.path;
  if (report.compiled && !report.compiled->artifact.ok()) throw UserError("the kernel does not compile", path);
  if (report.compiled && !report.compiled->reference_log.empty())
    throw UserError("the reference does not compile", path);
  if (report.compiled && !report.compiled->mismatches.empty())
    throw UserError("the arguments of manifest and kernel differ", path,
                    "'args' names them in the kernel's order; a step's own 'args' says which it takes");
  if (!report.check || report.check->verdict.ok()) return;
  const Reason reason = report.check->verdict.reason;
  std::string remedy;
  if (reason == Reason::exact_only) remedy = hint(reason);
  if (reason == Reason::timeout && report.example) remedy = "name a smaller shape: --shape";
  throw UserError("the default configuration fails: " + std::string(title(reason)), path, remedy);
}

void print(const Context& context, const report::CheckReport& report) {
  std::cout << (context.json ? report::check_json(report) : report::check_text(report, context.style));
}

}  // namespace

int cmd_check(const Context& context) {
  const std::string path = context.arguments.required("FILE");
  spec::Reading reading = spec::read_all_faults(path);
  report::CheckReport report;
  report.path = path;
  report.kernel = reading.kernel.name;
  report.faults = std::move(reading.faults);
  report.open = open_lines(reading.kernel.text, path);
  if (!report.faults.empty()) {
    print(context, report);
    throw UserError(report::count(static_cast<std::int64_t>(report.faults.size()), "fault", "faults"), path);
  }
  const spec::PlannedProblem planned = planned_problem(context, reading.kernel);
  report.example = !context.arguments.has("--shape");
  tune::SweepOptions options = sweep_options(context);
  options.shared = true;  // nothing is measured
  compile::Cache cache(cache_folder(context));
  catch_stop_signals();
  compile_default(report, planned, options, cache);
  const bool stopped = report.compiled && (!report.compiled->artifact.ok() || !report.compiled->mismatches.empty() ||
                                           !report.compiled->reference_log.empty());
  if (!stopped) {
    report::TerminalReport notes({nullptr, &std::cerr, context.style, context.notes, context.quiet, context.verbose});
    const auto begin = std::chrono::steady_clock::now();
    report.check = verify(planned, options, cache, notes);
    tell_time(context, planned, *report.check, std::chrono::steady_clock::now() - begin);
    if (report.check->verdict.ok()) report.next = next_command(context, planned, report.check->emulated);
  }
  if (stop_requested()) throw Interrupted();
  print(context, report);
  fail_for(report);
  return 0;
}

}  // namespace tuner::cli
