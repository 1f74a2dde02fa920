#include "cli/explanation.h"

#include <algorithm>
#include <climits>

#include "cli/suggested_block.h"
#include "core/artifact.h"
#include "core/error.h"
#include "spec/metrics.h"
#include "spec/resolve.h"

namespace tuner::cli {
namespace {

// The main launch: that of the manifest's entry, or the first where the manifest is gone.
const Step* main_launch(const Trial& trial, const spec::KernelSpec* kernel) {
  for (const Step& step : trial.steps)
    if (step.kind == Step::Kind::launch && (kernel == nullptr || spec::function_of(step.entry) == kernel->entry))
      return &step;
  return nullptr;
}

// What the manifest says of a configuration; 0 where it does not, or is no longer the one of this configuration.
double said_by(decltype(spec::bytes_in_flight)& ask, const spec::KernelSpec& kernel, const Trial& trial,
               const GpuFacts& gpu) {
  try {
    return static_cast<double>(ask(kernel, trial.problem, trial.config, gpu));
  } catch (const UserError&) {
    return 0;
  }
}

const Trial* find(const std::vector<Trial>& trials, std::int64_t id) {
  for (const Trial& trial : trials)
    if (trial.id == id) return &trial;
  return nullptr;
}

bool within(const Dim3& size, const Dim3& most) {
  return size.x >= 1 && size.y >= 1 && size.z >= 1 && size.x <= most.x && size.y <= most.y && size.z <= most.z;
}

// As CUDA allows on any GPU; what is stored may have been rejected for this, or be damaged.
bool can_be_launched(const Step& launch) {
  return within(launch.grid, {INT_MAX, 65535, 65535}) && within(launch.block, {1024, 1024, 64});
}

void add_suggestion(report::Explanation& e, const spec::Catalog& catalog, const std::vector<Trial>& trials) {
  if (const spec::KernelSpec* kernel = catalog.find(e.trial.problem.kernel))
    e.suggested = suggested_block(*kernel, e.gpu, *e.winner, trials);
}

}  // namespace

void add_launch_facts(report::Explanation& e, const spec::Catalog& catalog) {
  const spec::KernelSpec* kernel = catalog.find(e.trial.problem.kernel);
  const Step* launch = main_launch(e.trial, kernel);
  if (e.emulated || launch == nullptr || e.trial.registers < 1 || !can_be_launched(*launch)) return;
  KernelAttributes attributes;
  attributes.entry = launch->entry;
  attributes.registers = e.trial.registers;
  attributes.static_shared_bytes = e.trial.static_shared_bytes;
  e.occupancy = compile::occupancy(attributes, *launch, e.gpu);
  e.waves = compile::waves_of(*launch, *e.occupancy, e.gpu);
  if (!e.waves || kernel == nullptr) return;
  const double measured = e.result ? e.result->ceiling.sustained_gb_per_s : 0;
  const double bytes_a_thread = said_by(spec::bytes_in_flight, *kernel, e.trial, e.gpu);
  e.in_flight = compile::in_flight(*e.waves, *launch, bytes_a_thread, measured, e.gpu);
  const auto launches = std::count_if(e.trial.steps.begin(), e.trial.steps.end(),
                                      [](const Step& step) { return step.kind == Step::Kind::launch; });
  e.reread = compile::reread(*e.waves, said_by(spec::reread, *kernel, e.trial, e.gpu), launches > 1, e.gpu);
}

namespace {

void add_metrics(report::Explanation& e, const spec::Catalog& catalog) {
  const spec::KernelSpec* kernel = catalog.find(e.trial.problem.kernel);
  const double time_us = e.twin ? e.twin->time_us : e.trial.time_us;
  if (kernel != nullptr && !e.emulated && time_us > 0)
    e.metrics = spec::metrics_of(*kernel, e.trial.problem, e.trial.config, e.gpu, time_us);
}

}  // namespace

report::Explanation explanation_of(const store::Store& store, const spec::Catalog& catalog, const Trial& trial) {
  report::Explanation e;
  e.trial = trial;
  if (const auto run = store.run_of_trial(trial.id)) {
    e.gpu = run->facts.gpu;
    e.emulated = run->facts.emulated;
    e.when = std::to_string(run->id) + ", " + run->started_at + ", " + run->facts.command;
  }
  e.result = store.result(e.gpu, trial.problem, trial.regime);
  if (e.result && e.result->winner) e.winner = store.trial(e.result->winner);
  if (trial.duplicate_of) e.twin = store.trial(trial.duplicate_of);
  add_launch_facts(e, catalog);
  add_metrics(e, catalog);
  if (e.winner && !e.emulated) add_suggestion(e, catalog, store.trials(e.gpu, trial.problem, trial.regime));
  return e;
}

report::Explanation explanation_of(const store::Entry& entry, const spec::Catalog& catalog, const Trial& trial) {
  report::Explanation e;
  e.trial = trial;
  e.gpu = entry.gpu;
  e.emulated = entry.emulated;
  e.layer = entry.layer;
  e.when = entry.tuned_at + ", " + entry.source;
  e.result = entry.result;
  if (const Trial* winner = find(entry.trials, entry.result.winner)) e.winner = *winner;
  if (const Trial* twin = find(entry.trials, trial.duplicate_of)) e.twin = *twin;
  add_launch_facts(e, catalog);
  add_metrics(e, catalog);
  if (e.winner && !e.emulated) add_suggestion(e, catalog, entry.trials);
  return e;
}

}  // namespace tuner::cli
