#include <algorithm>
#include <iostream>

#include "cli/commands.h"
#include "cli/knowledge.h"
#include "cli/overruling.h"
#include "cli/suggested_block.h"
#include "cli/why_none.h"
#include "compile/nvcc.h"
#include "core/error.h"
#include "core/shell.h"
#include "export/best_answers.h"
#include "report/best_json.h"
#include "report/best_text.h"
#include "report/figures.h"
#include "store/ladder.h"

namespace tuner::cli {
namespace {

store::Query query_of(const Context& context, const spec::Catalog& catalog) {
  const Arguments& arguments = context.arguments;
  store::Query query;
  query.dims = parse_shape(arguments.required("--shape"), "--shape");
  query.kernel = arguments.text("--kernel");
  query.facts = parse_assignments(arguments.all("--set"), "--set");
  query.gpu = arguments.text("--gpu");
  query.regime = arguments.text("--regime", spec::plain_regime);
  query.by = arguments.text("--by");
  query.top = static_cast<int>(arguments.integer("--top", 1, 1000000, 1));
  if (query.gpu.empty() || arguments.has("--device")) query.here = gpu_here(context);
  if (!query.here || query.here->name == "host") return query;
  const spec::KernelSpec* kernel = catalog.find(query.kernel);
  if (kernel == nullptr || !kernel->nvcc) {
    query.nvrtc = nvrtc_of_files(context, *query.here);
  } else if (const compile::Nvcc nvcc = compile::find_nvcc(); nvcc.problem.empty()) {
    query.nvrtc = "nvcc " + nvcc.version;
  }
  return query;
}

// The flags that the mending command has to repeat. A finished problem is not repeated unasked.
report::Mend mend_of(const Context& context, const store::Layers& layers, const std::vector<store::Answer>& answers,
                     const store::Query& query) {
  const Arguments& arguments = context.arguments;
  report::Mend mend;
  mend.pinned = arguments.text("--require") == "pinned";
  const auto finished = [&](const store::Answer& answer) {
    if (answer.match == store::Match::exact || answer.match == store::Match::pinned) return false;
    return std::any_of(layers.outlines().begin(), layers.outlines().end(), [&](const store::Entry& entry) {
      return entry.layer == "user" && !entry.emulated && entry.result.problem == answer.problem &&
             entry.result.regime == query.regime && store::gpu_key(entry.gpu) == store::gpu_key(answer.gpu);
    });
  };
  if (!mend.pinned && std::any_of(answers.begin(), answers.end(), finished)) mend.flags += " --again";
  const std::string device = arguments.text("--device");
  if (!device.empty() && device != "host") mend.flags += " --device " + shell_word(device);
  if (arguments.has("--db")) mend.flags += " --db " + shell_word(arguments.text("--db"));
  for (const std::string& folder : arguments.all("--kernels")) mend.flags += " --kernels " + shell_word(folder);
  return mend;
}

// Trials of the host device do not answer for a GPU: whoever made them hears it.
void note_host_trials(const Context& context, const store::Layers& layers, const std::vector<store::Answer>& answers,
                      const store::Query& query) {
  if (context.quiet || context.json) return;
  for (const store::Answer& answer : answers) {
    if (answer.match == store::Match::exact || answer.match == store::Match::pinned) continue;
    const bool known = std::any_of(layers.outlines().begin(), layers.outlines().end(), [&](const store::Entry& entry) {
      return entry.emulated && entry.result.problem == answer.problem && entry.result.regime == query.regime;
    });
    if (!known) continue;
    std::cerr << context.notes.text("note: the host device verified " + answer.problem.kernel + " " +
                                    shape_text(answer.problem.dims) +
                                    "; its trials have no times and never answer (tuner list --device host)\n");
    return;
  }
}

// --require: every answer must be at least of this rung.
void require_rung(const Context& context, const std::vector<store::Answer>& answers, const std::string& command) {
  const std::string wanted = context.arguments.text("--require");
  if (wanted.empty()) return;
  using store::Match;
  for (const Match rung : {Match::pinned, Match::exact, Match::near_shape, Match::near_gpu, Match::by_default}) {
    if (store::to_text(rung) != wanted) continue;
    for (const store::Answer& answer : answers)
      if (answer.match > rung)
        throw NothingFound("the answer is " + std::string(store::to_text(answer.match)) + ", not " + wanted + ": " +
                               answer.problem.kernel + " " + shape_text(answer.problem.dims) +
                               (answer.gpu.name.empty() ? "" : " on " + answer.gpu.name),
                           "--require " + wanted, command);
  }
}

// Nothing that is forbidden.
std::optional<report::SuggestedBlock> suggestion_beside(const store::Answer& best, const spec::Catalog& catalog,
                                                        const store::Layers& layers) {
  const spec::KernelSpec* kernel = catalog.find(best.problem.kernel);
  if (kernel == nullptr) return std::nullopt;
  auto suggested = suggested_block(*kernel, best.entry->gpu, *best.trial, best.entry->trials);
  if (suggested && store::forbid_of(layers.forbids(), kernel->name, best.entry->gpu, suggested->config) != nullptr)
    return std::nullopt;
  if (suggested && suggested->trial && suggested->trial->time_us > 0)
    suggested->metrics = metrics_of(catalog, best.problem, suggested->config, best.gpu, suggested->trial->time_us);
  return suggested;
}

}  // namespace

int cmd_best(const Context& context) {
  const spec::Catalog catalog = load_catalog(context);
  if (context.arguments.has("--kernel")) kernel_named(context, catalog, context.arguments.text("--kernel"), "--kernel");
  const store::Query query = query_of(context, catalog);
  const store::Layers layers = open_layers(context);
  std::vector<const store::Forbid*> in_the_way;
  exporting::BestAnswers found = exporting::best_answers(
      layers, catalog, [&](const std::string& regime) { return knowledge_of(catalog, regime); }, query, in_the_way);
  std::vector<store::Answer>& answers = found.answers;
  for (store::Answer& answer : answers)
    if (report::has_time(answer))
      answer.metrics = metrics_of(catalog, answer.problem, answer.config, answer.gpu, answer.trial->time_us);
  for (const std::string& warning : layers.warnings()) std::cerr << context.notes.text("warning: " + warning) << "\n";
  if (!context.quiet)
    for (const std::string& note : found.notes) std::cerr << context.notes.text("note: " + note) << "\n";
  const report::Mend mend = mend_of(context, layers, answers, query);
  const std::string command = report::mending_command(answers, query, mend);
  const report::Beside beside = [&](const store::Answer& best) { return suggestion_beside(best, catalog, layers); };
  if (context.json) std::cout << report::best_json(answers, query, beside);
  if (answers.empty()) no_answer(query.dims, in_the_way, why_none(context, catalog, query));
  note_host_trials(context, layers, answers, query);
  require_rung(context, answers, command);
  if (context.json) return 0;
  const bool side_by_side = query.top > 1 || !query.by.empty();
  std::cout << (side_by_side ? report::answers_table(answers, query, mend, context.style, beside)
                             : report::answers_text(answers, query, mend, context.style));
  return 0;
}

}  // namespace tuner::cli
