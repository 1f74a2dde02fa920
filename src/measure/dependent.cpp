#include "measure/dependent.h"

#include <string>

#include "measure/judge.h"
#include "measure/zeroed.h"

namespace tuner::measure {
namespace {

constexpr const char* asked_of =
    "; launched before its predecessor had ended, which wrote activations late and poisoned results and scratch: "
    "nothing but weights may be touched before wait_for_predecessor()";

class Chain {
 public:
  Chain(device::Device& device, Prepared& prepared, const Candidate& candidate, device::Clock::time_point deadline)
      : device_(device), prepared_(prepared), candidate_(candidate), deadline_(deadline) {}

  Verification verify(Thoroughness thoroughness) {
    const bool fed = thoroughness == Thoroughness::main && !prepared_.feeds().empty();
    run(DataSet::exact, fed);
    if (result_.verdict.ok() && thoroughness == Thoroughness::main) run(DataSet::random, false);
    return result_;
  }

 private:
  void run(DataSet set, bool fed);
  std::vector<device::Left> left_to(const Bound& bound, DataSet set, bool fed) const;
  void judge(const Bound& bound, const std::vector<Expectation>& expected);

  device::Device& device_;
  Prepared& prepared_;
  const Candidate& candidate_;
  device::Clock::time_point deadline_;
  Verification result_;
};

bool is_late_input(const Argument& argument) { return argument.role == Role::activation && argument.symbol.empty(); }

// What is fed comes first: its source is poisoned after it.
std::vector<device::Left> Chain::left_to(const Bound& bound, DataSet set, bool fed) const {
  const auto& arguments = candidate_.execution->arguments;
  std::vector<device::Left> copied, poisoned, all;
  for (std::size_t i = 0, buffer = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_buffer) continue;
    const BoundBuffer& here = bound.buffers[buffer++];
    device::Left left;
    left.to = bound.addresses[i];
    left.bytes = arguments[i].bytes();
    left.byte = nan_poison;
    if (is_late_input(arguments[i])) {
      left.from = prepared_.kept(i, set);
      for (const Prepared::Feed& feed : prepared_.feeds()) {
        if (!fed || feed.input != i) continue;
        left.from = bound.addresses[feed.result];
        left.fed_elements = arguments[feed.result].elements;
        left.type = arguments[i].type;
        left.from_type = arguments[feed.result].type;
        left.magnitude = fill_request(prepared_.workload(), i, set).magnitude;
      }
      copied.push_back(left);
    } else if (here.before != 0) {
      left.from = here.before;
      copied.push_back(left);
    } else if (arguments[i].role == Role::output || is_scratch(arguments[i].role)) {
      if (arguments[i].role == Role::zeroed) left.byte = 0;
      poisoned.push_back(left);
    }
  }
  all = std::move(copied);
  all.insert(all.end(), poisoned.begin(), poisoned.end());
  return all;
}

void Chain::run(DataSet set, bool fed) {
  const auto& arguments = candidate_.execution->arguments;
  const Bound bound = prepared_.bind(*candidate_.execution, set, 0);
  std::vector<device::Link> links;
  links.push_back({left_to(bound, set, false), {candidate_.module, candidate_.execution, bound.addresses}});
  if (fed) links.push_back({left_to(bound, set, true), links.front().timed});
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].is_buffer && is_late_input(arguments[i]))
      device_.set(bound.addresses[i], 0, arguments[i].bytes());  // what nobody may read
  set_zeroed(device_, bound, nan_poison);
  const device::RunResult ran = device_.run_chain(links, {}, deadline_);
  result_.device_lost = ran.device_lost;
  result_.verdict.reason = ran.reason;
  result_.verdict.detail = ran.detail;
  if (ran.device_lost) return;
  if (ran.reason == Reason::none) result_.verdict = not_left_zero(device_, bound);
  if (result_.verdict.ok())
    judge(bound, fed ? prepared_.fed_expectations() : prepared_.expectations(set, candidate_.chain));
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].is_buffer && is_late_input(arguments[i]))
      device_.copy(bound.addresses[i], prepared_.kept(i, set), arguments[i].bytes());
}

void Chain::judge(const Bound& bound, const std::vector<Expectation>& expected) {
  if (!prepared_.has_reference()) return;
  std::size_t number = 0;
  for (const BoundBuffer& buffer : bound.buffers) {
    if (!is_result(buffer.role) || !result_.verdict.ok()) continue;
    std::vector<std::byte> out(static_cast<std::size_t>(buffer.memory->bytes()));
    device_.download(buffer.memory->address(), out);
    const Judgement judged = measure::judge(expected[number++], out);
    result_.verdict.reason = judged.reason;
    if (!judged.ok()) result_.verdict.detail = judged.detail + asked_of;
  }
}

}  // namespace

Verification verify_dependent(device::Device& device, Prepared& prepared, const Candidate& candidate,
                              Thoroughness thoroughness, device::Clock::time_point deadline) {
  return Chain(device, prepared, candidate, deadline).verify(thoroughness);
}

}  // namespace tuner::measure
