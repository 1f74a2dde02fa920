#include "measure/prepared.h"

#include <algorithm>

#include "core/error.h"
#include "core/number.h"
#include "device/generator.h"
#include "measure/data_set.h"
#include "measure/edges.h"
#include "measure/parallel.h"
#include "measure/value_file.h"

namespace tuner::measure {
namespace {

constexpr std::int64_t least_rotation_bytes = std::int64_t{256} << 20;
constexpr int most_copies = 512;

// Has values before a run.
bool is_filled(const Argument& argument) {
  return argument.is_buffer && (is_read(argument.role) || argument.role == Role::accumulator);
}

bool is_written(const Argument& argument) { return argument.is_buffer && is_result(argument.role); }

// Must be set anew before every launch.
bool is_restored(const Argument& argument) { return is_filled(argument) && is_written(argument); }

bool rotates(const Argument& argument) {
  return argument.is_buffer && (argument.role == Role::weight || is_result(argument.role));
}

ExactResult exact_result(const Reference& reference) {
  auto bytes = std::make_shared<std::vector<std::byte>>(
      static_cast<std::size_t>(bytes_of(reference.type, static_cast<std::int64_t>(reference.value.size()))));
  parallel_pieces(
      static_cast<std::int64_t>(reference.value.size()), [&](std::int64_t, std::int64_t begin, std::int64_t end) {
        encode_all(
            reference.type,
            std::span(reference.value).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)),
            bytes->data() + bytes_of(reference.type, begin));
      });
  const std::uint64_t checksum = device::checksum(*bytes);
  return {std::move(bytes), checksum};
}

}  // namespace

int rotation_copies(std::int64_t cold_bytes, std::int64_t output_bytes, std::int64_t l2_bytes, std::int64_t free_bytes,
                    int ring, double read_bytes) {
  const std::int64_t wanted = std::max(3 * l2_bytes, least_rotation_bytes) * ring;
  const bool reads_part = read_bytes > 0 && read_bytes < static_cast<double>(cold_bytes);
  const std::int64_t each = std::max<std::int64_t>(1, reads_part       ? static_cast<std::int64_t>(read_bytes)
                                                      : cold_bytes > 0 ? cold_bytes
                                                                       : output_bytes);
  const std::int64_t copies = std::clamp<std::int64_t>((wanted + each - 1) / each, 2 * ring, most_copies);
  const std::int64_t fit = free_bytes / 4 / std::max<std::int64_t>(1, cold_bytes + output_bytes);
  return static_cast<int>(std::max<std::int64_t>(1, std::min(copies, fit)));
}

Prepared::Prepared(device::Device& device, const Workload& workload, PrepareOptions options)
    : device_(&device), workload_(workload), generation_(options.generation) {
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
    references_[set == DataSet::exact ? 0 : 1] = references(set, options.reference);
  for (auto& references : references_)
    for (Reference& reference : references) measure_largest(reference);
  for (const DataSet set : {DataSet::exact, DataSet::random}) put_references(set);
  for (const DataSet set : {DataSet::exact, DataSet::random})
    if (must_be_exact(set))
      for (const Reference& reference : references_[set == DataSet::exact ? 0 : 1])
        exact_[set == DataSet::exact ? 0 : 1].push_back(exact_result(reference));
  feed_back(options.reference);
  for (Place& place : places_)
    for (auto& inputs : place.inputs)
      for (Buffer& buffer : inputs)
        if (buffer.memory) buffer.checksum = buffer.memory->checksum();
}

bool Prepared::must_be_exact(DataSet set) const {
  return workload_.reference.bound.kind == ErrorBound::Kind::exact ||
         (set == DataSet::exact && workload_.reference.exact_integers);
}

std::vector<Reference> Prepared::references(DataSet set, const ReferenceTools& tools) {
  using Kind = ReferencePlan::Kind;
  if (workload_.reference.kind == Kind::none) return {};
  if (workload_.reference.kind == Kind::gemv) return {compute_reference(workload_, set, generation_)};
  if (workload_.reference.kind == Kind::data) return reference_data(workload_);
  std::vector<device::Address> inputs;
  for (const Buffer& buffer : places_.front().inputs[set == DataSet::exact ? 0 : 1])
    inputs.push_back(buffer.memory ? buffer.memory->address() : 0);
  const bool sums = !must_be_exact(set) && workload_.reference.bound.kind == ErrorBound::Kind::terms;
  return user_reference(*device_, workload_, inputs, sums, tools);
}

void Prepared::fill(std::size_t argument, DataSet set, device::Address to) {
  const Argument& filled = workload_.arguments[argument];
  if (filled.role == Role::accumulator) {
    device::FillRequest request;
    request.type = filled.type;
    request.count = filled.elements;
    request.low = request.high = filled.initial;
    device_->fill(to, request);
  } else if (filled.fill.kind == Fill::Kind::file) {
    device_->upload(to, read_values(filled.fill.path, filled.type, filled.elements));
  } else {
    device_->fill(to, fill_request(workload_, argument, set, generation_));
    if (set == DataSet::exact && filled.fill.edge != 0) raise_edges(*device_, to, filled, workload_.dims);
  }
}

void Prepared::fill(Place& place) {
  const bool fresh = place.outputs.empty();
  const std::size_t count = workload_.arguments.size();
  const auto guarded = [&](Buffer& buffer, const Argument& argument) {
    if (fresh)
      buffer.memory = std::make_unique<Guarded>(*device_, argument.bytes(), shift_of(argument), place.placement);
    else
      buffer.memory->set_guards();
  };
  place.outputs.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    if (is_written(workload_.arguments[i])) guarded(place.outputs[i], workload_.arguments[i]);
  for (const DataSet set : {DataSet::exact, DataSet::random}) {
    auto& inputs = place.inputs[set == DataSet::exact ? 0 : 1];
    inputs.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_filled(workload_.arguments[i])) continue;
      guarded(inputs[i], workload_.arguments[i]);
      fill(i, set, inputs[i].memory->address());
    }
  }
}

void Prepared::restore() {
  for (Place& place : places_) {
    fill(place);
    for (auto& [key, memory] : place.scratch) memory->set_guards();
  }
  for (const DataSet set : {DataSet::exact, DataSet::random}) put_references(set);
  for (std::size_t i = 0; i < rings_.size(); ++i)
    if (rings_[i].stride > 0 && workload_.arguments[i].role == Role::weight)
      for (int copy = 1; copy < copies_; ++copy)
        device_->copy(copy_of(workload_.arguments[i].name, copy), copy_of(workload_.arguments[i].name, 0),
                      workload_.arguments[i].bytes());
}

double Prepared::rotating_bytes() const {
  double bytes = 0;
  for (const Argument& argument : workload_.arguments)
    if (rotates(argument)) bytes += static_cast<double>(argument.bytes());
  return bytes * copies_;
}

void Prepared::make_copies(int ring) {
  std::int64_t cold = 0, written = 0;
  for (const Argument& argument : workload_.arguments)
    if (rotates(argument)) (is_read(argument.role) ? cold : written) += argument.bytes();
  copies_ =
      rotation_copies(cold, written, device_->facts().l2_bytes, device_->free_bytes(), ring, workload_.bytes_read);
  rings_.resize(workload_.arguments.size());
  if (copies_ == 1) return;
  for (std::size_t i = 0; i < workload_.arguments.size(); ++i) {
    const Argument& argument = workload_.arguments[i];
    if (!rotates(argument)) continue;
    const std::int64_t border = argument.bytes() >= (std::int64_t{1} << 20) ? std::int64_t{2} << 20 : 256;
    rings_[i].stride = (argument.bytes() + shift_of(argument) + border - 1) / border * border;
    rings_[i].block = Block(*device_, rings_[i].stride * (copies_ - 1));
    if (argument.role != Role::weight) continue;
    for (int copy = 1; copy < copies_; ++copy)
      device_->copy(copy_of(argument.name, copy), copy_of(argument.name, 0), argument.bytes());
  }
}

std::vector<Expectation> Prepared::expectations(DataSet set, std::int64_t chain) const {
  std::vector<Expectation> expected;
  const bool exact = must_be_exact(set);
  for (const Reference& reference : references_[set == DataSet::exact ? 0 : 1])
    expected.push_back(exact ? expect_exact(reference)
                             : expect_within(reference, workload_.reference.bound, chain, workload_.terms));
  return expected;
}

// Those of large results, as many as half of the free memory holds. What must be exact has a checksum.
void Prepared::put_references(DataSet set) {
  auto& placed = device_references_[set == DataSet::exact ? 0 : 1];
  const auto& references = references_[set == DataSet::exact ? 0 : 1];
  if (device_->emulated() || must_be_exact(set)) return;
  placed.resize(references.size());
  for (std::size_t i = 0; i < references.size(); ++i) {
    const Reference& reference = references[i];
    const auto count = static_cast<std::int64_t>(reference.value.size());
    const auto bytes =
        static_cast<std::int64_t>((reference.value.size() + reference.magnitude.size()) * sizeof(double));
    if (!device::can_compare(reference.type) || bytes_of(reference.type, count) < large_bytes) continue;
    const auto put = [&](std::optional<Block>& block, const std::vector<double>& values) {
      if (values.empty()) return;
      if (!block) block.emplace(*device_, static_cast<std::int64_t>(values.size() * sizeof(double)));
      device_->upload(block->address(), std::as_bytes(std::span(values)));
    };
    if (!placed[i].value && bytes > device_->free_bytes() / 2) continue;
    put(placed[i].value, reference.value);
    put(placed[i].magnitude, reference.magnitude);
  }
}

std::optional<Judgement> Prepared::judged_in_place(DataSet set, std::size_t index, std::int64_t chain,
                                                   device::Address address) {
  const std::vector<ExactResult>& exact = exact_results(set);
  if (index < exact.size()) {
    const auto bytes = static_cast<std::int64_t>(exact[index].bytes->size());
    if (device_->emulated() || bytes < large_bytes) return {};
    return device_->checksum(address, bytes) == exact[index].checksum ? std::optional(Judgement{}) : std::nullopt;
  }
  const auto& placed = device_references_[set == DataSet::exact ? 0 : 1];
  if (index >= placed.size() || !placed[index].value) return {};
  const Reference& reference = references_[set == DataSet::exact ? 0 : 1][index];
  const Expectation expected = expect_within(reference, workload_.reference.bound, chain, workload_.terms);
  device::Comparison comparison{
      reference.type,    static_cast<std::int64_t>(reference.value.size()), address, placed[index].value->address(), 0,
      expected.tolerance};
  if (placed[index].magnitude) comparison.magnitude = placed[index].magnitude->address();
  const device::Compared compared = device_->compare(comparison);
  if (compared.outside > 0) return {};
  return judged_by_device(expected, compared);
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
  if (memory) return *memory;
  memory = std::make_unique<Guarded>(*device_, argument.bytes(), shift_of(argument), place.placement);
  if (argument.role == Role::zeroed) device_->set(memory->address(), 0, memory->bytes());
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
    BoundBuffer buffer{argument.name, argument.type, argument.role, nullptr, 0, 0};
    if (is_scratch(argument.role)) {
      buffer.memory = &scratch(place, argument);
    } else {
      const std::size_t i = index_of(argument);
      const Buffer& before = place.inputs[set == DataSet::exact ? 0 : 1][i];
      const Buffer& mine = is_written(argument) ? place.outputs[i] : before;
      buffer.memory = mine.memory.get();
      buffer.checksum = mine.checksum;
      if (is_restored(argument)) buffer.before = before.memory->address();
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
    return (is_written(mine) ? place.outputs[i] : place.inputs[1][i]).memory->address();
  }
  throw UserError("workload of kernel '" + workload_.kernel + "' has no argument '" + argument + "'");
}

device::Bindings Prepared::bind_copy(const Execution& execution, int copy) {
  Bound bound = bind(execution, DataSet::random, 0);
  for (std::size_t i = 0; i < execution.arguments.size(); ++i)
    if (rotates(execution.arguments[i])) bound.addresses[i] = copy_of(execution.arguments[i].name, copy);
  return bound.addresses;
}

std::vector<device::Copy> Prepared::restores(int copies) const {
  std::vector<device::Copy> list;
  for (int copy = 0; copy < copies; ++copy)
    for (std::size_t i = 0; i < workload_.arguments.size(); ++i) {
      const Argument& argument = workload_.arguments[i];
      if (is_restored(argument))
        list.push_back(
            {copy_of(argument.name, copy), places_.front().inputs[1][i].memory->address(), argument.bytes()});
    }
  return list;
}

}  // namespace tuner::measure
