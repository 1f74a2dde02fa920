#include "measure/kernel_reference.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/number.h"
#include "core/problem.h"
#include "measure/guarded.h"
#include "measure/user_reference.h"

namespace tuner::measure {
namespace {

// The arguments of one run, floating ones in double; absolute, where sums of |terms| are wanted.
class Wide {
 public:
  Wide(device::Device& device, const Workload& workload, const std::vector<device::Address>& inputs, bool absolute)
      : device_(device), workload_(workload) {
    for (std::size_t i = 0; i < workload.arguments.size(); ++i)
      if (!workload.arguments[i].is_buffer || !is_scratch(workload.arguments[i].role))
        add(workload.arguments[i], inputs[i], absolute);
  }

  void run(device::ModuleId module, const Step& step);
  // In the order of the arguments.
  std::vector<std::vector<double>> results() const;

 private:
  void add(Argument argument, device::Address input, bool absolute);

  device::Device& device_;
  const Workload& workload_;
  std::vector<Argument> arguments_;
  std::vector<Block> blocks_;
  device::Bindings bindings_;
};

void Wide::add(Argument argument, device::Address input, bool absolute) {
  const Type type = argument.type;
  const bool widens = is_floating(type) && (argument.is_buffer || argument.bytes_by_value.empty());
  argument.symbol.clear();
  if (widens) argument.type = Type::f64;
  if (absolute) argument.real = std::fabs(argument.real);
  bindings_.push_back(0);
  arguments_.push_back(argument);
  if (!argument.is_buffer) return;
  const device::Address to = blocks_.emplace_back(device_, std::max<std::int64_t>(1, argument.bytes())).address();
  bindings_.back() = to;
  if (input == 0)
    device_.set(to, 0xff, argument.bytes());
  else if (widens)
    device_.widen(to, input, type, argument.elements, absolute);
  else
    device_.copy(to, input, argument.bytes());
}

void Wide::run(device::ModuleId module, const Step& step) {
  Execution execution;
  execution.steps = {step};
  execution.arguments = arguments_;
  const auto ran = device_.run({module, &execution, bindings_}, {}, device::Clock::now() + reference_kernel_deadline);
  if (ran.reason == Reason::none) return;
  const std::string at = workload_.dims.empty() ? std::string() : " at " + shape_text(workload_.dims);
  const std::string what = "the reference kernel '" + step.entry + "' failed" + at + ": " + ran.detail;
  const std::string remedy = ran.reason == Reason::timeout
                                 ? smaller_awkward(workload_.dims.size())
                                 : "it takes the kernel's arguments without scratch; floating ones in double";
  if (ran.device_lost) throw device::DeviceFault(ran.reason, what + "; " + remedy);
  throw UserError(what, workload_.kernel, remedy);
}

std::vector<std::vector<double>> Wide::results() const {
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    if (!argument.is_buffer || !is_result(argument.role)) continue;
    if (argument.type == Type::f64) {
      std::vector<double>& values = all.emplace_back(static_cast<std::size_t>(argument.elements));
      device_.download(bindings_[i], std::as_writable_bytes(std::span(values)));
      check_written(values, argument.name, workload_);
    } else {
      std::vector<std::byte> bytes(static_cast<std::size_t>(argument.bytes()));
      device_.download(bindings_[i], bytes);
      all.push_back(decoded(argument.type, bytes));
      all.back().resize(static_cast<std::size_t>(argument.elements));
    }
  }
  return all;
}

}  // namespace

std::vector<Reference> kernel_reference(device::Device& device, const Workload& workload,
                                        const std::vector<device::Address>& inputs, bool sums,
                                        device::ModuleId module) {
  const auto results = [&](const Step& step, bool absolute) {
    Wide wide(device, workload, inputs, absolute);
    wide.run(module, step);
    return wide.results();
  };
  const std::vector<Step>& steps = workload.reference.steps;
  std::vector<std::vector<double>> values = results(steps.front(), false);
  std::vector<Reference> references;
  for (const Argument& argument : workload.arguments)
    if (argument.is_buffer && is_result(argument.role))
      references.push_back({argument.name, argument.type, std::move(values[references.size()]), {}});
  if (!sums) return references;
  std::vector<std::vector<double>> magnitudes = results(steps.back(), steps.size() == 1);
  for (std::size_t i = 0; i < references.size(); ++i) take_magnitude(references[i], std::move(magnitudes[i]));
  return references;
}

}  // namespace tuner::measure
