#include "tune/finished.h"

#include <fmt/core.h>

#include <algorithm>

#include "compile/bare_code.h"
#include "compile/render.h"
#include "spec/metrics.h"
#include "spec/resolve.h"
#include "store/ladder.h"
#include "store/state.h"
#include "tune/anchors.h"

namespace tuner::tune {
namespace {

struct Winner {
  const spec::PlannedProblem* planned = nullptr;
  Trial trial;
  store::KernelHashes now;
  compile::Source source;
};

// Of a finished problem that was made with something else than what is here.
std::optional<Winner> changed_winner(const spec::PlannedProblem& planned, const std::string& regime,
                                     const Session& session, const store::Store& store) {
  const auto result = store.result(session.gpu(), planned.problem, regime);
  if (!result || result->winner == 0 || result->closure_hash.empty()) return {};
  const store::KernelHashes now{compile::closure_hash(*planned.kernel), compile::manifest_hash(*planned.kernel)};
  const auto run = store.run_of_trial(result->winner);
  const bool same_compiler = run && run->facts.nvrtc == session.facts.nvrtc;
  if (result->closure_hash == now.closure && result->manifest_hash == now.manifest && same_compiler) return {};
  auto trial = store.trial(result->winner);
  if (!trial) return {};
  const auto scope = spec::base_scope(*planned.kernel, planned.problem, session.gpu());
  if (planned.kernel->space.why_illegal(scope, trial->config)) return Winner{&planned, *trial, now, {}};
  return Winner{&planned, *trial, now, compile::render(*planned.kernel, trial->config, planned.problem, session.gpu())};
}

bool was_changed(const spec::KernelSpec& kernel, const store::Tried& tried) {
  const auto differs = [](const std::string& then, const std::string& now) { return !then.empty() && then != now; };
  return differs(tried.closure_hash, compile::closure_hash(kernel)) ||
         differs(tried.manifest_hash, compile::manifest_hash(kernel));
}

}  // namespace

bool is_finished(const spec::PlannedProblem& planned, const std::string& regime, const GpuFacts& gpu, bool emulated,
                 const Overrules& overrules, const store::Store& store, const Searching* searching) {
  const auto tried = store.tried(gpu, planned.problem, regime);
  const spec::KernelSpec& kernel = *planned.kernel;
  if (!tried || (emulated && was_changed(kernel, *tried)) || tried->objective != spec::objective_text(kernel))
    return false;
  std::int64_t asked = 0, missing = 0;
  const auto ask = [&](const Config& config) {
    if (store::is_forbidden(overrules.forbids, kernel.name, gpu, config)) return;
    ++asked;
    missing += tried->configs.count(to_json(config)) == 0 ? 1 : 0;
  };
  const auto scope = spec::base_scope(kernel, planned.problem, gpu);
  if (searching != nullptr)
    return std::max<std::int64_t>(static_cast<std::int64_t>(tried->configs.size()), tried->without_rows) >=
           searching->trials;
  for (const Config& config : asked_for(planned, regime, gpu, store)) ask(config);
  const store::Pin* pin = store::pin_for(overrules.pins, planned.problem, regime, gpu);
  if (pin != nullptr && !kernel.space.why_illegal(scope, pin->config)) ask(pin->config);
  return missing == 0 || asked <= tried->without_rows;
}

void check_finished(const std::vector<spec::PlannedProblem>& finished, const std::string& regime, Session& session,
                    store::Store& store, Observer& observer) {
  std::vector<Winner> winners;
  std::vector<compile::Source> sources;
  for (const auto& planned : finished)
    if (auto winner = changed_winner(planned, regime, session, store)) {
      if (!winner->source.hash.empty()) sources.push_back(winner->source);
      winners.push_back(std::move(*winner));
    }
  session.builder->build(sources, [](std::size_t, std::size_t) {});
  int changed = 0;
  for (const Winner& winner : winners) {
    const std::string& hash = winner.source.hash;
    const bool same = session.builder->has(hash) && session.builder->at(hash).ok() &&
                      session.builder->at(hash).cubin_hash == winner.trial.cubin_hash;
    if (same)
      store::record_same_binary(store, session.gpu(), winner.planned->problem, regime, winner.now, session.facts.nvrtc);
    else
      ++changed;
  }
  if (changed > 0)
    observer.on_warning(fmt::format("{} finished {} tuned with another template, manifest or NVRTC; --again repeats {}",
                                    changed, changed == 1 ? "problem was" : "problems were",
                                    changed == 1 ? "it" : "them"));
}

}  // namespace tuner::tune
