// Verifies every configuration of a manifest many times and counts the reasons: how a wrong kernel is shown to be
// rejected each time, with the same reason, on the host device or a GPU.
//
//   rejection PROGRAM TEMPLATES MANIFEST DEVICE REPEATS SHAPE...
//
// Prints a line a configuration and shape; exit 1 when one of them was not always rejected (or, for a configuration
// whose `fault` is none, not always accepted).
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "core/error.h"
#include "proc/program.h"
#include "tune/candidates.h"
#include "tune/verify_all.h"
#include "tune/workloads.h"

namespace {

using namespace tuner;

// The reasons that name a fault rightly. A race shows as different results or as wrong ones, whichever comes first.
const std::map<std::string, std::set<Reason>> right_reasons{
    {"none", {Reason::none}},
    {"drop_last_element", {Reason::wrong_result}},
    {"drop_last_vector", {Reason::wrong_result}},
    {"drop_warp_partial", {Reason::wrong_result}},
    {"count_twice", {Reason::wrong_result}},
    {"wrong_tail", {Reason::wrong_result}},
    {"unwritten", {Reason::unwritten_output}},
    {"write_past_end", {Reason::out_of_bounds}},
    {"change_input", {Reason::input_changed}},
    {"nan", {Reason::not_finite}},
    {"missing_barrier", {Reason::missing_barrier, Reason::nondeterministic, Reason::wrong_result}},
    {"divergent_barrier",
     {Reason::divergent_barrier, Reason::fault, Reason::timeout, Reason::nondeterministic, Reason::wrong_result}},
    {"hang", {Reason::timeout}},
    {"illegal_access", {Reason::fault, Reason::out_of_bounds}},
    {"reads_early", {Reason::fault, Reason::wrong_result}},
    {"writes_early", {Reason::fault, Reason::wrong_result, Reason::not_finite, Reason::unwritten_output}},
    {"scratch_early", {Reason::fault, Reason::wrong_result, Reason::not_finite}},
    {"never_waits", {Reason::fault, Reason::wrong_result, Reason::not_finite, Reason::unwritten_output}},
    {"one_thread_waits", {Reason::fault, Reason::wrong_result}},
};

// A configuration that does not show its fault at this size and layout counts only where its name is known.
bool check(tune::Candidate& candidate, int index, tune::Session& session, int repeats) {
  const std::string fault = to_text(*candidate.trial.config.find("fault"));
  const auto right = right_reasons.find(fault);
  std::map<Reason, int> seen;
  std::string detail;
  for (int i = 0; i < repeats; ++i) {
    const Verdict verdict = tune::verify_one(candidate, index, session);
    if (++seen[verdict.reason] == 1 && !verdict.ok()) detail = verdict.detail;
  }
  bool good = right != right_reasons.end();
  std::string counts;
  for (const auto& [reason, count] : seen) {
    counts += fmt::format(" {}={}", to_text(reason), count);
    good = good && right->second.count(reason) > 0;
  }
  fmt::print("{} {:<18}{}  {}  ({})\n", good ? "ok  " : "BAD ", fault, counts, candidate.trial.config.label(), detail);
  std::fflush(stdout);
  return good;
}

int run(int argc, char** argv) {
  if (argc < 7) throw UserError("usage: rejection PROGRAM TEMPLATES MANIFEST DEVICE REPEATS SHAPE...");
  tune::SweepOptions options;
  options.program = argv[1];
  options.templates = argv[2];
  options.device = argv[4];
  proc::set_own_program(argv[1]);
  const int repeats = std::atoi(argv[5]);
  compile::Cache cache((std::filesystem::temp_directory_path() / "tuner-rejection-cache").string());
  tune::Session session = tune::open_session(options, cache);
  const spec::KernelSpec kernel = spec::read_kernel(argv[3]);
  bool good = true;
  for (int s = 6; s < argc; ++s) {
    const Problem problem = spec::make_problem(kernel, parse_shape(argv[s], "shape"), {}, "shape");
    spec::PlannedProblem planned{&kernel, problem, {}};
    tune::CandidateSet set = tune::enumerate(planned, session.gpu());
    const auto sources = tune::render_all(planned, set, session.gpu());
    session.builder->build(sources, [](std::size_t, std::size_t) {});
    for (std::size_t i = 0; i < sources.size(); ++i) set.all[i].source_hash = sources[i].hash;
    tune::judge_artifacts(set, set.all.size(), *session.builder, session.gpu());
    tune::set_workloads(planned, set, tune::workload_of(planned, session), false, session);
    fmt::print("{}\n", argv[s]);
    for (std::size_t i = 0; i < set.all.size(); ++i) {
      if (!set.all[i].runnable()) {
        fmt::print("BAD  {} {}\n", set.all[i].trial.config.label(), set.all[i].trial.detail + set.all[i].trial.log);
        good = false;
        continue;
      }
      good = check(set.all[i], static_cast<int>(i), session, repeats) && good;
    }
    session.bench->drop_modules(1 << 20);
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const tuner::Error& error) {
    fmt::print(stderr, "error: {}\n  at {}\n  hint: {}\n", error.what(), error.where(), error.hint());
    return 2;
  }
}
