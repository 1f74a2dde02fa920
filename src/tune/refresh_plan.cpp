#include "tune/refresh_plan.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "compile/bare_code.h"
#include "core/ceiling_probe.h"
#include "core/error.h"
#include "spec/metrics.h"
#include "spec/resolve.h"
#include "store/ladder.h"
#include "store/state.h"

namespace tuner::tune {
namespace {

template <class T>
bool is_among(const T& one, const std::vector<T>& asked) {
  return asked.empty() || std::find(asked.begin(), asked.end(), one) != asked.end();
}

bool is_asked(const store::Entry& entry, const RefreshQuestion& question) {
  const ProblemResult& row = entry.result;
  if (entry.emulated != question.emulated || (row.winner == 0 && !question.emulated)) return false;
  if (ceiling_probe(row.problem.kernel) != nullptr || !store::same_model(entry.gpu, question.gpu)) return false;
  if (!question.regime.empty() && row.regime != question.regime) return false;
  return is_among(row.problem.kernel, question.kernels) && is_among(row.problem.dims, question.shapes);
}

// Those that answer: of each problem and regime of the best layer, one that was measured on a GPU alone before others.
std::vector<const store::Entry*> answering(const std::vector<store::Entry>& entries, const RefreshQuestion& question) {
  using Key = std::tuple<std::string, std::vector<std::int64_t>, std::string, std::string>;
  std::map<Key, const store::Entry*> best;
  const auto rank = [](const store::Entry& entry) {
    return std::pair(entry.shared_gpu, store::layer_rank(entry.layer));
  };
  for (const store::Entry& entry : entries) {
    if (!is_asked(entry, question)) continue;
    const Problem& problem = entry.result.problem;
    const store::Entry*& at = best[{problem.kernel, problem.dims, facts_key(problem.facts), entry.result.regime}];
    if (at == nullptr || rank(entry) < rank(*at)) at = &entry;
  }
  std::vector<const store::Entry*> rows;
  for (const auto& [key, entry] : best) rows.push_back(entry);
  return rows;
}

// The kernel of a row, as its regime launches it; null where the catalog has none that this problem is asked of.
const spec::KernelSpec* kernel_of(const store::Entry& entry, const spec::Catalog& catalog) {
  const Problem& problem = entry.result.problem;
  const spec::KernelSpec* kernel = catalog.find(problem.kernel);
  if (kernel == nullptr) return nullptr;
  try {
    const Problem asked = spec::make_problem(*kernel, problem.dims, problem.facts, problem.kernel);
    if (facts_key(asked.facts) != facts_key(problem.facts)) return nullptr;
    return &spec::in_regime(*kernel, entry.result.regime, problem.kernel);
  } catch (const UserError&) {
    return nullptr;  // without such a fact, number of dimensions or regime
  }
}

store::KernelHashes hashes_of(const spec::KernelSpec& kernel) {
  try {
    return {compile::closure_hash(kernel), compile::manifest_hash(kernel), spec::objective_text(kernel)};
  } catch (const UserError&) {
    return {};
  }
}

void judge(StoredRow& row, const RefreshQuestion& question) {
  store::Answer answer;
  answer.entry = row.entry;
  answer.gpu = question.gpu;
  store::judge_state(answer, row.now, question.compiler(*row.kernel));
  row.state = answer.state;
  row.changed = answer.changed;
}

bool was_right(const Trial& trial) { return trial.status == Status::verified || trial.status == Status::duplicate; }

std::vector<Trial> tied_before(const store::Entry& entry, const RefreshQuestion& question) {
  std::vector<Trial> ties;
  if (question.emulated) {
    for (Trial& trial : question.trials(entry))
      if (was_right(trial)) ties.push_back(std::move(trial));
    return ties;
  }
  std::vector<std::int64_t> ids{entry.result.winner};
  for (const std::int64_t id : entry.result.tied)
    if (id != entry.result.winner) ids.push_back(id);
  for (const std::int64_t id : ids)
    for (const Trial& trial : entry.trials)
      if (trial.id == id) ties.push_back(trial);
  return ties;
}

// Why a configuration may not be run any more; empty where it may.
std::string why_not_now(const StoredRow& row, const Config& config, const Overrules& overrules, const GpuFacts& gpu) {
  const Problem& problem = row.entry->result.problem;
  if (const auto why = spec::why_not_on(*row.kernel, problem, gpu)) return *why;
  if (const auto why = row.kernel->space.why_illegal(spec::base_scope(*row.kernel, problem, gpu), config))
    return "it is not legal any more: " + *why;
  const store::Forbid* forbid = store::forbid_of(overrules.forbids, row.kernel->name, gpu, config);
  return forbid == nullptr ? std::string() : forbid->layer + " forbids it: " + forbid->why;
}

// Whether there is anything that was right before.
bool choose(StoredRow& row, const Overrules& overrules, const RefreshQuestion& question) {
  const Problem& problem = row.entry->result.problem;
  const auto why_not = [&](const Config& config) { return why_not_now(row, config, overrules, question.gpu); };
  std::string first;
  std::vector<Trial> before = tied_before(*row.entry, question);
  for (Trial& trial : before) {
    const std::string why = why_not(trial.config);
    if (why.empty()) row.ties.push_back(std::move(trial));
    if (first.empty()) first = why;
  }
  if (row.ties.empty()) row.why_not = first;
  const auto add = [&](const Config& config) {
    const auto is_it = [&](const Trial& trial) { return trial.config == config; };
    if (std::any_of(row.ties.begin(), row.ties.end(), is_it) || !why_not(config).empty()) return;
    if (std::find(row.beside.begin(), row.beside.end(), config) == row.beside.end()) row.beside.push_back(config);
  };
  if (const auto standard = spec::default_config(*row.kernel, problem, question.gpu)) add(*standard);
  for (const Trial& trial : row.entry->trials)
    if (trial.id == row.entry->result.traveller && !question.emulated) add(trial.config);
  const store::Pin* pin = store::pin_for(overrules.pins, problem, row.entry->result.regime, question.gpu);
  if (pin != nullptr) add(pin->config);
  return !before.empty();
}

bool is_older(const StoredRow& a, const StoredRow& b) { return a.entry->tuned_at < b.entry->tuned_at; }

}  // namespace

RefreshPlan plan_refresh(const std::vector<store::Entry>& entries, const spec::Catalog& catalog,
                         const Overrules& overrules, const RefreshQuestion& question) {
  RefreshPlan plan;
  for (const store::Entry* entry : answering(entries, question)) {
    const spec::KernelSpec* kernel = kernel_of(*entry, catalog);
    ++(kernel == nullptr ? plan.unknown : plan.known);
    if (kernel == nullptr) continue;
    StoredRow row{entry, kernel, hashes_of(*kernel)};
    judge(row, question);
    const bool unreadable = row.now.closure.empty();
    if (row.state == "current" && !unreadable && !question.again) continue;
    if (!choose(row, overrules, question)) continue;
    if (entry->result.objective != spec::objective_text(*kernel))
      row.why_not = "it is ranked by something else now, and what was tied says nothing about that";
    plan.rows.push_back(std::move(row));
  }
  std::stable_sort(plan.rows.begin(), plan.rows.end(), is_older);
  return plan;
}

}  // namespace tuner::tune
