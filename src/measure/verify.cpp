#include "measure/verify.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "core/problem.h"
#include "device/generator.h"
#include "measure/asked_on.h"
#include "measure/dependent.h"
#include "measure/judge.h"
#include "measure/zeroed.h"

namespace tuner::measure {
namespace {

constexpr int guard_looks = 3;                                        // there and back before a read outside is said
constexpr double slow_us = 1000;                                      // runs once on the random set
constexpr std::int64_t many_orders_elements = std::int64_t{1} << 22;  // up to here three shuffled orders, beyond one

// One result of one run: its bytes, or what the device found where it lies and the checksum of its bytes.
struct Output {
  Bytes bytes;
  std::optional<Judgement> judged;
  std::uint64_t checksum = 0;  // of a large one
};

using Outputs = std::vector<Output>;

bool same(const Output& a, const Output& b) {
  if (!a.bytes || !b.bytes) return a.checksum == b.checksum;
  return a.bytes == b.bytes || *a.bytes == *b.bytes;
}

bool equal(const Outputs& a, const Outputs& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end(), same); }

// The runs of one candidate on one workload.
class Runs {
 public:
  Runs(device::Device& device, Prepared& prepared, const Candidate& candidate, device::Clock::time_point deadline)
      : device_(device), prepared_(prepared), candidate_(candidate), deadline_(deadline) {}

  Verification verify(Thoroughness thoroughness);

 private:
  struct Run {
    DataSet set = DataSet::exact;
    int placement = 0;
    int poison = nan_poison;
    std::uint64_t order_seed = 0;
  };

  std::optional<Outputs> outputs_of(const Run& run);
  Output result_of(const BoundBuffer& buffer, DataSet set, std::size_t index);
  bool are_exact(const Outputs& outputs, DataSet set) const;
  void exact();
  void shuffled(const Outputs& in_order);
  void random();
  void take(const Judgement& judgement);
  void reject(Reason reason, std::string detail);
  Judgement judgement_of(const Expectation& expected, const Output& first, const Output& second, bool must_agree);
  std::string difference(const Expectation& expected, std::size_t index);
  void judge_outputs(const Outputs& first, const Outputs& second, DataSet set, bool must_agree);
  void check_buffers();
  bool check_guards(const BoundBuffer& buffer);
  bool check_inputs(const Bound& bound);
  void blame_reads_outside();
  bool depends_on_guards(const BoundBuffer& buffer, const Outputs& usual);

  device::Device& device_;
  Prepared& prepared_;
  const Candidate& candidate_;
  device::Clock::time_point deadline_;
  Verification result_;
  double least_us_ = 0;
  bool random_ran_ = false;
  bool keeps_bytes_ = false;  // of large results, too
};

void Runs::reject(Reason reason, std::string detail) {
  result_.verdict.reason = reason;
  result_.verdict.detail = std::move(detail);
}

void Runs::take(const Judgement& judgement) {
  Verdict& verdict = result_.verdict;
  verdict.max_err_over_bound = std::max(verdict.max_err_over_bound, judgement.max_err_over_bound);
  verdict.max_rel_err = std::max(verdict.max_rel_err, judgement.max_rel_err);
  if (verdict.ok() && judgement.reason != Reason::none) reject(judgement.reason, judgement.detail);
}

// Empty when the run itself failed; the verdict then says why.
std::optional<Outputs> Runs::outputs_of(const Run& run) {
  const Bound bound = prepared_.bind(*candidate_.execution, run.set, run.placement);
  for (const BoundBuffer& buffer : bound.buffers)
    if (buffer.before != 0)
      device_.copy(buffer.memory->address(), buffer.before, buffer.memory->bytes());
    else if (buffer.role == Role::output || buffer.role == Role::scratch)
      device_.set(buffer.memory->address(), run.poison, buffer.memory->bytes());
  set_zeroed(device_, bound, 0);
  device::RunOptions options;
  options.order_seed = run.order_seed;
  const device::RunResult ran =
      device_.run({candidate_.module, candidate_.execution, bound.addresses}, options, deadline_);
  if (ran.reason != Reason::none) {
    reject(ran.reason, ran.detail);
    result_.device_lost = ran.device_lost;
    return {};
  }
  if (const Verdict left = not_left_zero(device_, bound); !left.ok()) {
    reject(left.reason, left.detail);
    return {};
  }
  least_us_ = least_us_ == 0 ? ran.us : std::min(least_us_, ran.us);
  Outputs outputs;
  for (const BoundBuffer& buffer : bound.buffers)
    if (is_result(buffer.role)) outputs.push_back(result_of(buffer, run.set, outputs.size()));
  return outputs;
}

// What nobody judges stays where it lies. A large result is looked at there: the bytes of the reference itself where
// the device's checksum says that it is them; no bytes where the device finds all of it within tolerance.
Output Runs::result_of(const BoundBuffer& buffer, DataSet set, std::size_t index) {
  const auto& exact = prepared_.exact_results(set);
  const std::int64_t bytes = buffer.memory->bytes();
  Output output;
  if (!prepared_.has_reference() && !device_.emulated()) return output;
  if (bytes >= large_bytes && !device_.emulated()) {
    output.checksum = device_.checksum(buffer.memory->address(), bytes);
    if (index < exact.size() && output.checksum == exact[index].checksum) {
      output.bytes = exact[index].bytes;
      return output;
    }
    if (!keeps_bytes_ && exact.empty())
      output.judged = prepared_.judged_in_place(set, index, candidate_.chain, buffer.memory->address());
    if (output.judged) return output;
  }
  auto held = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
  device_.download(buffer.memory->address(), *held);
  output.bytes = std::move(held);
  return output;
}

bool Runs::are_exact(const Outputs& outputs, DataSet set) const {
  const auto& exact = prepared_.exact_results(set);
  if (exact.empty() || exact.size() != outputs.size()) return false;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!outputs[i].bytes || (outputs[i].bytes != exact[i].bytes && *outputs[i].bytes != *exact[i].bytes)) return false;
  return true;
}

Judgement Runs::judgement_of(const Expectation& expected, const Output& first, const Output& second, bool must_agree) {
  if (first.bytes && second.bytes) return judge(expected, {*first.bytes, *second.bytes, must_agree});
  Judgement found;
  for (const Output* output : {&first, &second}) {
    const Judgement judged = output->judged ? *output->judged : judge(expected, *output->bytes);
    found.max_err_over_bound = std::max(found.max_err_over_bound, judged.max_err_over_bound);
    found.max_rel_err = std::max(found.max_rel_err, judged.max_rel_err);
    if (!found.ok()) continue;
    found.reason = judged.reason;
    found.detail = judged.detail;
  }
  if (found.ok() && must_agree && !same(first, second)) found.reason = Reason::nondeterministic;
  return found;
}

// Where two more runs differ, of which the bytes are kept: those that differed have gone.
std::string Runs::difference(const Expectation& expected, std::size_t index) {
  keeps_bytes_ = true;
  const Run run{DataSet::random, 0, nan_poison, 0};
  const auto first = outputs_of(run);
  const auto second = first ? outputs_of(run) : std::nullopt;
  keeps_bytes_ = false;
  const Reference& reference = *expected.reference;
  std::string text;
  if (second) text = first_difference(reference.name, reference.type, *(*first)[index].bytes, *(*second)[index].bytes);
  return text.empty() ? reference.name + " differs between two runs, and agrees in two others" : text;
}

void Runs::judge_outputs(const Outputs& first, const Outputs& second, DataSet set, bool must_agree) {
  if (!prepared_.has_reference() || first.empty()) return;
  if (are_exact(first, set) && equal(first, second)) return;
  const auto expectations = prepared_.expectations(set, candidate_.chain);
  for (std::size_t i = 0; i < expectations.size() && result_.verdict.ok(); ++i) {
    Judgement judgement = judgement_of(expectations[i], first[i], second[i], must_agree);
    if (judgement.reason == Reason::nondeterministic && judgement.detail.empty())
      judgement.detail = difference(expectations[i], i);
    if (judgement.reason == Reason::wrong_result)
      judgement.detail += asked_on(set, expectations[i], prepared_.workload());
    take(judgement);
  }
}

void Runs::exact() {
  const auto first = outputs_of({DataSet::exact, 0, nan_poison, 0});
  if (!first) return;
  if (device_.emulated()) shuffled(*first);
  if (!result_.verdict.ok()) return;
  const auto second = outputs_of({DataSet::exact, prepared_.placements() - 1, finite_poison, 0});
  if (second) judge_outputs(*first, *second, DataSet::exact, candidate_.deterministic);
}

// Exact sums do not depend on the order of threads; a kernel whose result does lacks a barrier. What is neither exact
// nor deterministic is judged in every order.
void Runs::shuffled(const Outputs& in_order) {
  std::int64_t elements = 0;
  for (const Argument& argument : prepared_.workload().arguments) elements += argument.elements;
  const std::uint64_t orders = elements <= many_orders_elements ? 3 : 1;
  for (std::uint64_t seed = 1; seed <= orders; ++seed) {
    const auto other = outputs_of({DataSet::exact, 0, nan_poison, (device::mix(seed) << 1) | (seed & 1)});
    if (!other) return;
    if (!prepared_.workload().reference.exact_integers && !candidate_.deterministic) {
      judge_outputs(in_order, *other, DataSet::exact, false);
      if (!result_.verdict.ok()) return;
      continue;
    }
    for (std::size_t i = 0, output = 0; i < candidate_.execution->arguments.size(); ++i) {
      const Argument& argument = candidate_.execution->arguments[i];
      if (!argument.is_buffer || !is_result(argument.role)) continue;
      const std::string difference =
          first_difference(argument.name, argument.type, *in_order[output].bytes, *(*other)[output].bytes);
      ++output;
      if (difference.empty()) continue;
      return reject(Reason::missing_barrier, "the result depends on the order in which threads run: " + difference);
    }
  }
}

void Runs::random() {
  random_ran_ = true;
  const auto first = outputs_of({DataSet::random, 0, nan_poison, 0});
  if (!first) return;
  const bool once = device_.emulated() || least_us_ > slow_us;
  if (once) return judge_outputs(*first, *first, DataSet::random, false);
  const auto second = outputs_of({DataSet::random, 0, finite_poison, 0});
  if (!second) return;
  judge_outputs(*first, *second, DataSet::random, candidate_.deterministic);
  if (!result_.verdict.ok()) return;
  const auto third = outputs_of({DataSet::random, 0, nan_poison, 0});
  if (third && (!candidate_.deterministic || !equal(*third, *first)))
    judge_outputs(*third, *second, DataSet::random, candidate_.deterministic);
}

bool is_input(const BoundBuffer& buffer) { return buffer.role == Role::weight || buffer.role == Role::activation; }

// Each look waits for the device, so there are few: outputs and scratch serve both data sets; an input and its guards
// have one checksum, and only one that is off is looked at closely.
void Runs::check_buffers() {
  for (int placement = 0; placement < prepared_.placements(); ++placement) {
    const Bound bound = prepared_.bind(*candidate_.execution, DataSet::exact, placement);
    for (const BoundBuffer& buffer : bound.buffers)
      if (!is_input(buffer) && !check_guards(buffer)) return;
    if (!check_inputs(bound)) return;
  }
  if (random_ran_) check_inputs(prepared_.bind(*candidate_.execution, DataSet::random, 0));
}

bool Runs::check_guards(const BoundBuffer& buffer) {
  const auto damage = buffer.memory->damage();
  if (damage) reject(Reason::out_of_bounds, damage_text(buffer.name, buffer.memory->bytes(), *damage));
  return !damage;
}

bool Runs::check_inputs(const Bound& bound) {
  for (const BoundBuffer& buffer : bound.buffers) {
    if (!is_input(buffer) || buffer.memory->checksum() == buffer.checksum) continue;
    if (check_guards(buffer)) reject(Reason::input_changed, buffer.name + " was changed");
    return false;
  }
  return true;
}

bool merely_wrong(Reason reason) {
  return reason == Reason::wrong_result || reason == Reason::not_finite || reason == Reason::unwritten_output;
}

// Whether the outputs change with the bytes around an input, and only with them, time after time: then it was read
// outside its bounds. What a race changes does not come back.
bool Runs::depends_on_guards(const BoundBuffer& buffer, const Outputs& usual) {
  const Run run{DataSet::exact, 0, nan_poison, 0};
  std::optional<Outputs> changed;
  for (int time = 0; time < guard_looks; ++time) {
    buffer.memory->set_guards(0);
    const auto other = outputs_of(run);
    buffer.memory->set_guards();
    if (!other || equal(*other, usual) || (changed && !equal(*other, *changed))) return false;
    changed = other;
    const auto again = outputs_of(run);
    if (!again || !equal(*again, usual)) return false;
  }
  return true;
}

// Wrong values have a cause; one of them can be told. Needs a kernel that gives the same wrong values twice.
void Runs::blame_reads_outside() {
  const Run usual{DataSet::exact, 0, nan_poison, 0};
  const auto first = outputs_of(usual);
  const auto second = first ? outputs_of(usual) : std::nullopt;
  if (!second || !equal(*first, *second)) return;
  for (const BoundBuffer& buffer : prepared_.bind(*candidate_.execution, DataSet::exact, 0).buffers) {
    if (!is_input(buffer) || !depends_on_guards(buffer, *first)) continue;
    const Verdict shown = result_.verdict;
    return reject(Reason::out_of_bounds, fmt::format("reads outside {} ({} bytes): the result changes with what lies "
                                                     "beside it; {}",
                                                     buffer.name, buffer.memory->bytes(), shown.detail));
  }
}

Verification Runs::verify(Thoroughness thoroughness) {
  exact();
  if (result_.verdict.ok() && thoroughness == Thoroughness::main) random();
  if (merely_wrong(result_.verdict.reason)) blame_reads_outside();
  if (!result_.device_lost) check_buffers();
  if (!device_.emulated()) result_.verdict.first_run_us = least_us_;
  return result_;
}

bool damages(const Verdict& verdict) {
  return verdict.reason == Reason::out_of_bounds || verdict.reason == Reason::input_changed;
}

std::string case_text(const Prepared& prepared) {
  const Workload& workload = prepared.workload();
  std::string text = shape_text(workload.dims);
  if (workload.row_stride > 0 && workload.dims.size() == 2 && workload.row_stride != workload.dims[1])
    text += fmt::format(" row_stride={}", workload.row_stride);
  if (workload.batch > 1) text += fmt::format(" batch={}", workload.batch);
  if (workload.misalign_elements > 0) text += fmt::format(" misaligned by {}", workload.misalign_elements);
  return text;
}

}  // namespace

Verification verify(device::Device& device, Prepared& prepared, const Candidate& candidate, Thoroughness thoroughness,
                    device::Clock::time_point deadline) {
  Verification found = Runs(device, prepared, candidate, deadline).verify(thoroughness);
  if (found.device_lost || !damages(found.verdict)) return found;
  // Perhaps an earlier candidate did the damage, out of reach of its own guards: mend it and ask again.
  prepared.restore();
  found = Runs(device, prepared, candidate, deadline).verify(thoroughness);
  if (!found.device_lost && damages(found.verdict)) prepared.restore();
  return found;
}

namespace {

// Alone, then where its predecessor has not ended.
Verification verify_in_regime(device::Device& device, Prepared& prepared, const Candidate& candidate,
                              Thoroughness thoroughness, device::Clock::time_point deadline) {
  Verification found = verify(device, prepared, candidate, thoroughness, deadline);
  if (!found.verdict.ok() || !candidate.execution->dependent) return found;
  const Verification overlapped = verify_dependent(device, prepared, candidate, thoroughness, deadline);
  found.device_lost = overlapped.device_lost;
  found.verdict.reason = overlapped.verdict.reason;
  found.verdict.detail = overlapped.verdict.detail;
  return found;
}

}  // namespace

Verification verify_all(device::Device& device, Prepared& prepared, const Candidate& candidate,
                        const std::vector<AwkwardCase>& awkward, device::Clock::time_point deadline) {
  Verification found = verify_in_regime(device, prepared, candidate, Thoroughness::main, deadline);
  for (const AwkwardCase& each : awkward) {
    if (!found.verdict.ok() || found.verdict.exact_only) break;
    const Verification other =
        verify_in_regime(device, *each.prepared, each.candidate, Thoroughness::awkward, deadline);
    if (other.verdict.ok()) continue;
    found.device_lost = other.device_lost;
    found.verdict.detail = "at " + case_text(*each.prepared) + ": " + other.verdict.detail;
    if (other.verdict.reason == Reason::timeout)
      found.verdict.detail += "; " + smaller_awkward(each.prepared->workload().dims.size());
    if (merely_wrong(other.verdict.reason))
      found.verdict.exact_only = true;
    else
      found.verdict.reason = other.verdict.reason;
  }
  return found;
}

}  // namespace tuner::measure
