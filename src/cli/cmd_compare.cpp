#include <algorithm>
#include <chrono>
#include <iostream>

#include "cli/cache_place.h"
#include "cli/commands.h"
#include "cli/compare_pairs.h"
#include "cli/compare_sides.h"
#include "cli/host_code_guard.h"
#include "cli/knowledge.h"
#include "cli/stop.h"
#include "cli/sweep_options.h"
#include "cli/write_file.h"
#include "core/error.h"
#include "report/compare_text.h"
#include "report/terminal_report.h"
#include "spec/resolve.h"
#include "tune/memory.h"
#include "worker/client.h"

namespace tuner::cli {
namespace {

using report::Compared;

constexpr int gate_tripped = 4;

measure::CompareRules rules_of(const Arguments& arguments) {
  measure::CompareRules rules;
  rules.fail_if_slower = arguments.share("--fail-if-slower", -1);
  if (arguments.has("--strict") && !rules.gated())
    throw UserError("--strict is of a gate, and there is none", "--strict", "--fail-if-slower 2% makes one");
  return rules;
}

double max_time_s(const Arguments& arguments) {
  if (!arguments.has("--max-time")) return tune::DuelOptions{}.max_time_s;
  return spec::parse_duration(arguments.text("--max-time"), "--max-time");
}

// The GPU that this is about to be measured on; for `--device host` the host device. Empty with --stored, and where
// nobody asked for a device and there is none, whose reason is said.
std::optional<GpuFacts> device_of(const Context& context) {
  const std::string device = context.arguments.text("--device", "auto");
  if (context.arguments.has("--stored")) return std::nullopt;
  std::string why;
  try {
    return device_facts(context, device);
  } catch (const MachineError& failure) {
    if (device != "auto") throw;
    why = failure.what();
  } catch (const worker::WorkerLost& lost) {
    if (device != "auto") throw MachineError(lost.what(), device);
    why = lost.what();
  }
  if (!context.quiet) std::cerr << context.notes.text("note: nothing is measured: " + why + "\n");
  return std::nullopt;
}

bool is_host(const GpuFacts& gpu) { return gpu.name == "host"; }

// Both sides of one problem, as they would be run here.
struct Contenders {
  tune::Contender a, b;
};

class Comparison {
 public:
  Comparison(Side& a, Side& b, const Known& known, std::optional<GpuFacts> here, const report::CompareReport& report)
      : a_(a), b_(b), known_(known), here_(std::move(here)), report_(report) {}

  std::vector<Compared> all(std::vector<Pair> pairs) {
    std::vector<Compared> rows;
    std::vector<std::optional<Contenders>> contenders;
    for (Pair& pair : pairs) {
      Compared& row = rows.emplace_back(row_of(pair));
      contenders.push_back(contenders_of(pair, row));
      row.a.note = pair.a.note;
      row.b.note = pair.b.note;
    }
    measure_all(contenders, rows);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (!contenders[i]) compare_stored(pairs[i], rows[i]);
    return rows;
  }

 private:
  static Compared row_of(const Pair& pair) {
    Compared row;
    row.problem = pair.asked.problem;
    row.regime = pair.asked.regime;
    row.a = {pair.a.config, pair.a.origin, pair.a.gpu.name, pair.a.gpu.driver, {}, {}};
    row.b = {pair.b.config, pair.b.origin, pair.b.gpu.name, pair.b.gpu.driver, {}, {}};
    return row;
  }

  bool fits_here(const Side& side, const Chosen& chosen) const {
    if (is_host(*here_)) return true;
    return side.is_here(*here_) && (chosen.gpu.name.empty() || store::same_model(chosen.gpu, *here_));
  }

  // Empty where they cannot both be run here; what of their code is in the way is the row's `why_not`.
  std::optional<Contenders> contenders_of(Pair& pair, Compared& row) {
    if (!here_ || !fits_here(a_, pair.a) || !fits_here(b_, pair.b)) return std::nullopt;
    // A commit is trusted as the files of today are, and a path that was named as a folder of --kernels is.
    if (const spec::KernelSpec* today = known_.catalog.find(pair.asked.problem.kernel))
      refuse_unasked_host_code(known_.context, *today);
    try {
      Contenders both{contender_of(a_, pair.asked, pair.a), contender_of(b_, pair.asked, pair.b)};
      return both;
    } catch (const UserError& fault) {
      row.why_not = fault.what();
      return std::nullopt;
    }
  }

  tune::Contender contender_of(Side& side, const Asked& asked, Chosen& chosen) const {
    const spec::KernelSpec& kernel = side.code(asked, chosen);
    const auto scope = spec::base_scope(kernel, chosen.problem, *here_);
    if (const auto why = kernel.space.why_illegal(scope, chosen.config))
      throw UserError(side.title() + " launches " + chosen.config.label() + ", which is not legal there: " + *why);
    return {{&kernel, chosen.problem, {}}, chosen.config};
  }

  void measure_all(const std::vector<std::optional<Contenders>>& contenders, std::vector<Compared>& rows) {
    spec::SweepPlan plan;
    for (const auto& both : contenders)
      if (both) plan.problems.insert(plan.problems.end(), {both->a.planned, both->b.planned});
    if (plan.problems.empty()) return;
    const Context& context = known_.context;
    compile::Cache cache(cache_folder(context));
    report::TerminalReport notes({nullptr, &std::cerr, context.style, context.notes, context.quiet, context.verbose});
    const tune::SweepOptions options = sweep_options(context);
    tune::Session session = tune::open_session(
        options, cache, notes,
        [&](const GpuFacts& gpu) { tune::refuse_too_large(plan, gpu, options.device == "host"); },
        tune::compilers_of(plan.problems));
    std::size_t done = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (contenders[i]) measure(*contenders[i], session, rows[i], ++done, plan.problems.size() / 2);
  }

  void measure(const Contenders& both, tune::Session& session, Compared& row, std::size_t n, std::size_t of) {
    const Context& context = known_.context;
    if (!context.quiet)
      std::cerr << context.notes.text("comparing [" + std::to_string(n) + "/" + std::to_string(of) + "] " +
                                      report::compared_name(row) + "\n");
    tune::DuelOptions options;
    options.rules = report_.rules;
    options.only_changed = context.arguments.has("--changed");
    options.max_time_s = max_time_s(context.arguments);
    options.stop = stop_requested;
    const auto begin = std::chrono::steady_clock::now();
    const tune::Duel duel = tune::duel(both.a, both.b, session, options);
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    row.a.verdict = duel.a;
    row.b.verdict = duel.b;
    row.same_binary = duel.same_binary;
    row.why_not = duel.failure;
    row.result = duel.result;
    if (duel.timed) row.how = Compared::How::measured;
    if (session.emulated() && duel.a.ok() && duel.b.ok()) row.how = Compared::How::verified;
    for (report::ComparedSide* side : {&row.a, &row.b}) {
      side->gpu = session.gpu().name;
      side->driver = session.gpu().driver;
    }
  }

  void compare_stored(const Pair& pair, Compared& row) const {
    if (pair.a.stored && pair.b.stored) {
      const bool paired = !pair.a.rounds.empty() && pair.a.rounds == pair.b.rounds &&
                          pair.a.stored->samples_us.size() == pair.b.stored->samples_us.size();
      row.how = paired ? Compared::How::paired : Compared::How::stored;
      row.result = measure::compare_stored(*pair.a.stored, *pair.b.stored, paired, report_.rules);
      row.why_not.clear();
      return;
    }
    if (!row.why_not.empty()) return;
    const Side& without = pair.a.stored ? b_ : a_;
    row.why_not = "there is no stored time of " + without.title() + ", and " +
                  (here_ ? "this is not the GPU or driver that is meant" : "no GPU here to measure it on");
  }

  Side& a_;
  Side& b_;
  const Known known_;
  std::optional<GpuFacts> here_;
  const report::CompareReport& report_;
};

// 0, or what the gate says; throws NothingFound where there was nothing to compare.
int outcome_of(const Context& context, const report::CompareReport& report) {
  bool failed = false;
  for (const Compared& one : report.all) {
    failed |= !report::failure_of(one, report).empty();
    if (const std::string doubt = report::doubt_of(one, report); !doubt.empty())
      std::cerr << context.notes.text("warning: undecided: " + report::compared_name(one) + ": " + doubt + "\n");
  }
  if (failed) return gate_tripped;
  const auto compared = [](const Compared& one) { return report::has_times(one) || one.same_binary; };
  if (std::any_of(report.all.begin(), report.all.end(), compared)) return 0;
  const Compared& first = report.all.front();
  if (first.how == Compared::How::verified)
    throw NothingFound("nothing was compared: the host device has no times", "--device host",
                       "compare on a machine with an NVIDIA GPU");
  const Verdict& wrong = first.a.verdict.ok() ? first.b.verdict : first.a.verdict;
  throw NothingFound("nothing was compared: " + (wrong.ok() ? first.why_not : std::string(title(wrong.reason))),
                     report::compared_name(first));
}

}  // namespace

int cmd_compare(const Context& context) {
  const Arguments& arguments = context.arguments;
  const std::string word_a = arguments.required("A"), word_b = arguments.required("B");
  report::CompareReport report;
  report.rules = rules_of(arguments);
  report.strict = arguments.has("--strict");
  max_time_s(arguments);  // throws before anything is read
  const spec::Catalog catalog = load_catalog(context);
  if (arguments.has("--kernel")) kernel_named(context, catalog, arguments.text("--kernel"), "--kernel");
  const store::Layers layers = open_layers(context);
  const std::optional<store::Store> database = open_database(context);
  const Known known{context, catalog, layers, database};
  const auto a = side_of(word_a, known), b = side_of(word_b, known);
  const std::optional<GpuFacts> here = device_of(context);
  if (here) report.here = *here;
  catch_stop_signals();
  std::vector<Pair> pairs = pairs_of(*a, *b, known, here);
  report.a = a->in_full();
  report.b = b->in_full();
  report.all = Comparison(*a, *b, known, here, report).all(std::move(pairs));
  std::cout << (context.json ? report::compare_json(report) : report::compare_text(report, context.style));
  if (arguments.has("--junit")) write_file(arguments.text("--junit"), report::compare_junit(report));
  return outcome_of(context, report);
}

}  // namespace tuner::cli
