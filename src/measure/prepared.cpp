#include "measure/prepared.h"

#include <algorithm>

#include "core/error.h"
#include "measure/number.h"

namespace tuner::measure {
namespace {

constexpr std::int64_t least_rotation_bytes = std::int64_t{256} << 20;
constexpr int most_copies = 512;

bool is_input(const Argument& argument) {
  return argument.is_buffer && (argument.role == Role::weight || argument.role == Role::activation);
}

bool is_output(const Argument& argument) { return argument.is_buffer && argument.role == Role::output; }

bool rotates(const Argument& argument) {
  return argument.is_buffer && (argument.role == Role::weight || argument.role == Role::output);
}

std::vector<std::byte> encoded(const Reference& reference) {
  const auto size = static_cast<std::size_t>(size_of(reference.type));
  std::vector<std::byte> bytes(reference.value.size() * size);
  for (std::size_t i = 0; i < reference.value.size(); ++i)
    encode(reference.type, reference.value[i], bytes.data() + i * size);
  return bytes;
}

}  // namespace

int rotation_copies(std::int64_t cold_bytes, std::int64_t output_bytes, std::int64_t l2_bytes, std::int64_t free_bytes,
                    int ring) {
  const std::int64_t wanted = std::max(3 * l2_bytes, least_rotation_bytes) * ring;
  const std::int64_t each = std::max<std::int64_t>(1, cold_bytes);
  const std::int64_t copies = std::clamp<std::int64_t>((wanted + each - 1) / each, 2 * ring, most_copies);
  const std::int64_t fit = free_bytes / 4 / std::max<std::int64_t>(1, cold_bytes + output_bytes);
  return static_cast<int>(std::max<std::int64_t>(1, std::min(copies, fit)));
}

Prepared::Prepared(device::Device& device, const Workload& workload, PrepareOptions options)
    : device_(&device), workload_(workload) {
  check_reference(workload_);
  using device::Placement;
  const std::vector<Placement> placements = device.emulated()
                                                ? std::vector{Placement::ends_at_fault, Placement::starts_at_fault}
                                                : std::vector{Placement::anywhere};
  for (const Placement placement : placements) {
    Place& place = places_.emplace_back();
    place.placement = placement;
    fill(place);
  }
  if (options.timed && !device.emulated()) make_copies(options.ring);
  // The device fills meanwhile.
  for (const DataSet set : {DataSet::exact, DataSet::random})
    references_[set == DataSet::exact ? 0 : 1] = compute_reference(workload_, set);
  exact_bytes_ = encoded(references_[0]);
  for (Place& place : places_)
    for (auto& inputs : place.inputs)
      for (Buffer& buffer : inputs)
        if (buffer.memory) buffer.checksum = buffer.memory->checksum();
}

void Prepared::fill(Place& place) {
  const bool fresh = place.outputs.empty();
  place.outputs.resize(workload_.arguments.size());
  for (int s = 0; s < 2; ++s) {
    place.inputs[s].resize(workload_.arguments.size());
    for (std::size_t i = 0; i < workload_.arguments.size(); ++i) {
      const Argument& argument = workload_.arguments[i];
      Buffer& buffer = is_input(argument) ? place.inputs[s][i] : place.outputs[i];
      if (!is_input(argument) && !is_output(argument)) continue;
      if (fresh && !buffer.memory)
        buffer.memory = std::make_unique<Guarded>(*device_, argument.bytes(), shift_of(argument), place.placement);
      else
        buffer.memory->set_guards();
      if (is_input(argument))
        device_->fill(buffer.memory->address(), fill_request(workload_, i, s == 0 ? DataSet::exact : DataSet::random));
    }
  }
}

void Prepared::restore() {
  for (Place& place : places_) {
    fill(place);
    for (auto& [key, memory] : place.scratch) memory->set_guards();
  }
  for (std::size_t i = 0; i < rings_.size(); ++i)
    if (rings_[i].stride > 0 && is_input(workload_.arguments[i]))
      for (int copy = 1; copy < copies_; ++copy)
        device_->copy(copy_of(workload_.arguments[i].name, copy), copy_of(workload_.arguments[i].name, 0),
                      workload_.arguments[i].bytes());
}

void Prepared::make_copies(int ring) {
  std::int64_t cold = 0, written = 0;
  for (const Argument& argument : workload_.arguments)
    if (rotates(argument)) (argument.role == Role::weight ? cold : written) += argument.bytes();
  copies_ = rotation_copies(cold, written, device_->facts().l2_bytes, device_->free_bytes(), ring);
  rings_.resize(workload_.arguments.size());
  if (copies_ == 1) return;
  for (std::size_t i = 0; i < workload_.arguments.size(); ++i) {
    const Argument& argument = workload_.arguments[i];
    if (!rotates(argument)) continue;
    const std::int64_t border = argument.bytes() >= (std::int64_t{1} << 20) ? std::int64_t{2} << 20 : 256;
    rings_[i].stride = (argument.bytes() + shift_of(argument) + border - 1) / border * border;
    rings_[i].block = Block(*device_, rings_[i].stride * (copies_ - 1));
    if (!is_input(argument)) continue;
    for (int copy = 1; copy < copies_; ++copy)
      device_->copy(copy_of(argument.name, copy), copy_of(argument.name, 0), argument.bytes());
  }
}

const Expectation& Prepared::expectation(std::int64_t chain) {
  const auto known = expectations_.find(chain);
  if (known != expectations_.end()) return known->second;
  const auto output = std::find_if(workload_.arguments.begin(), workload_.arguments.end(), is_output);
  const std::string name = output == workload_.arguments.end() ? "" : output->name;
  return expectations_[chain] = expect_random(name, references_[1], chain, terms_of(workload_));
}

std::size_t Prepared::index_of(const Argument& argument) const {
  for (std::size_t i = 0; i < workload_.arguments.size(); ++i) {
    const Argument& mine = workload_.arguments[i];
    if (mine.name != argument.name || !mine.is_buffer) continue;
    if (mine.elements != argument.elements || mine.type != argument.type || mine.role != argument.role)
      throw UserError("argument '" + argument.name + "' of an execution differs from its workload's");
    return i;
  }
  throw UserError("argument '" + argument.name + "' of an execution is not its workload's");
}

const Guarded& Prepared::scratch(Place& place, const Argument& argument) {
  auto& memory = place.scratch[{argument.name, argument.bytes()}];
  if (!memory) memory = std::make_unique<Guarded>(*device_, argument.bytes(), shift_of(argument), place.placement);
  return *memory;
}

Bound Prepared::bind(const Execution& execution, DataSet set, int placement) {
  Place& place = places_[static_cast<std::size_t>(placement)];
  Bound bound;
  for (const Argument& argument : execution.arguments) {
    if (!argument.is_buffer) {
      bound.addresses.push_back(0);
      continue;
    }
    BoundBuffer buffer{argument.name, argument.type, argument.role, nullptr, 0};
    if (argument.role == Role::scratch) {
      buffer.memory = &scratch(place, argument);
    } else {
      const std::size_t i = index_of(argument);
      const Buffer& mine =
          argument.role == Role::output ? place.outputs[i] : place.inputs[set == DataSet::exact ? 0 : 1][i];
      buffer.memory = mine.memory.get();
      buffer.checksum = mine.checksum;
    }
    bound.addresses.push_back(buffer.memory->address());
    bound.buffers.push_back(std::move(buffer));
  }
  return bound;
}

device::Address Prepared::copy_of(const std::string& argument, int copy) const {
  for (std::size_t i = 0; i < workload_.arguments.size(); ++i) {
    const Argument& mine = workload_.arguments[i];
    if (mine.name != argument) continue;
    if (copy > 0 && rotates(mine))
      return rings_[i].block.address() + static_cast<device::Address>(rings_[i].stride * (copy - 1) + shift_of(mine));
    const Place& place = places_.front();
    return (is_input(mine) ? place.inputs[1][i] : place.outputs[i]).memory->address();
  }
  throw UserError("workload of kernel '" + workload_.kernel + "' has no argument '" + argument + "'");
}

device::Bindings Prepared::bind_copy(const Execution& execution, int copy) {
  Bound bound = bind(execution, DataSet::random, 0);
  for (std::size_t i = 0; i < execution.arguments.size(); ++i)
    if (rotates(execution.arguments[i])) bound.addresses[i] = copy_of(execution.arguments[i].name, copy);
  return bound.addresses;
}

}  // namespace tuner::measure
