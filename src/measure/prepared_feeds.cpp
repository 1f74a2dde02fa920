// What the dependent regime needs beside: results that become activations.
#include <algorithm>

#include "core/number.h"
#include "device/generator.h"
#include "measure/prepared.h"

namespace tuner::measure {
namespace {

std::size_t place_of(const Workload& workload, const std::string& argument) {
  const auto& all = workload.arguments;
  const auto at = std::find_if(all.begin(), all.end(), [&](const Argument& each) { return each.name == argument; });
  return static_cast<std::size_t>(at - all.begin());
}

// Values that small integers can be made of, and can become.
bool is_wide(Type type) { return type == Type::f64 || type == Type::f32 || type == Type::f16 || type == Type::bf16; }

}  // namespace

device::Address Prepared::kept(std::size_t argument, DataSet set) {
  const auto [at, fresh] = kept_.try_emplace({argument, set});
  if (fresh) {
    at->second = Block(*device_, workload_.arguments[argument].bytes());
    fill(argument, set, at->second.address());
  }
  return at->second.address();
}

void Prepared::feed_back(const ReferenceTools& tools) {
  if (!has_reference() || !must_be_exact(DataSet::exact)) return;
  std::vector<device::Address> inputs;
  for (const Buffer& buffer : places_.front().inputs[0]) inputs.push_back(buffer.memory ? buffer.memory->address() : 0);
  std::vector<Block> fed;
  std::vector<double> values;
  for (const auto& [input, result] : workload_.feeds) {
    const Feed feed{place_of(workload_, input), place_of(workload_, result)};
    const Argument& to = workload_.arguments[feed.input];
    const Argument& from = workload_.arguments[feed.result];
    const device::FillRequest request = fill_request(workload_, feed.input, DataSet::exact, generation_);
    const bool exact = request.exact && request.magnitude * request.magnitude * workload_.terms <= most_exact;
    if (!is_wide(to.type) || !is_wide(from.type) || !exact || from.elements == 0) continue;
    std::size_t result_number = 0;
    for (std::size_t i = 0; i < feed.result; ++i)
      result_number += workload_.arguments[i].is_buffer && is_result(workload_.arguments[i].role) ? 1 : 0;
    const std::vector<double> before = decoded(from.type, *exact_[0][result_number].bytes);
    values.resize(static_cast<std::size_t>(to.elements));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = device::small_of(before[i % before.size()], request.magnitude);
    std::vector<std::byte> bytes(static_cast<std::size_t>(to.bytes()));
    encode_all(to.type, values, bytes.data());
    device_->upload(inputs[feed.input] = fed.emplace_back(*device_, to.bytes()).address(), bytes);
    feeds_.push_back(feed);
  }
  if (feeds_.empty()) return;
  fed_references_ = workload_.reference.kind == ReferencePlan::Kind::gemv
                        ? std::vector{compute_reference(workload_, DataSet::exact, generation_, values)}
                        : user_reference(*device_, workload_, inputs, false, tools);
}

std::vector<Expectation> Prepared::fed_expectations() const {
  std::vector<Expectation> expected;
  for (const Reference& reference : fed_references_) expected.push_back(expect_exact(reference));
  return expected;
}

}  // namespace tuner::measure
