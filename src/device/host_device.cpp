#include "device/host_device.h"

#include <fmt/core.h>
#include <signal.h>
#include <sys/sysinfo.h>

#include <cassert>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "device/arguments.h"
#include "device/generator.h"
#include "device/host_fill.h"
#include "device/host_launch.h"

namespace tuner::device {
namespace {

constexpr int emulated_arch = 90;
constexpr int emulated_sms = 4;
constexpr std::int64_t most_in_a_cluster = 16;

void* pointer(Address address) { return reinterpret_cast<void*>(address); }

std::size_t byte_count(std::int64_t bytes) {
  assert(bytes >= 0);
  return static_cast<std::size_t>(bytes);
}

GpuFacts host_facts() {
  GpuFacts facts = gpu_of_arch(emulated_arch);
  facts.name = "host";
  facts.sm_count = emulated_sms;
  struct sysinfo info = {};
  if (::sysinfo(&info) == 0) facts.memory_bytes = static_cast<std::int64_t>(info.totalram) * info.mem_unit;
  return facts;
}

[[noreturn]] void no_times() { throw std::logic_error("the host device measures no times"); }

}  // namespace

HostDevice::HostDevice() : facts_(host_facts()) {}

std::int64_t HostDevice::free_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  std::int64_t kib = 0;
  while (file >> name >> kib) {
    if (name == "MemAvailable:") return kib * 1024;
    std::getline(file, unit);
  }
  return facts_.memory_bytes / 2;
}

void HostDevice::set(Address address, int byte, std::int64_t bytes) {
  std::memset(pointer(address), byte, byte_count(bytes));
}

void HostDevice::upload(Address address, std::span<const std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(pointer(address), bytes.data(), bytes.size());
}

void HostDevice::download(Address address, std::span<std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(bytes.data(), pointer(address), bytes.size());
}

void HostDevice::copy(Address to, Address from, std::int64_t bytes) {
  std::memmove(pointer(to), pointer(from), byte_count(bytes));
}

void HostDevice::fill(Address address, const FillRequest& request) { host_fill(pointer(address), request); }

std::uint64_t HostDevice::checksum(Address address, std::int64_t bytes) {
  return device::checksum(std::span{static_cast<const std::byte*>(pointer(address)), byte_count(bytes)});
}

std::int64_t HostDevice::first_not(Address address, int byte, std::int64_t bytes) {
  return host_first_not({static_cast<const std::byte*>(pointer(address)), byte_count(bytes)}, byte);
}

void HostDevice::widen(Address to, Address from, Type type, std::int64_t count, bool absolute) {
  host_widen({static_cast<double*>(pointer(to)), byte_count(count)}, static_cast<const std::byte*>(pointer(from)), type,
             absolute);
}

ModuleId HostDevice::load(const Artifact& artifact) {
  modules_.emplace(next_module_, std::make_unique<HostLibrary>(artifact, blocks_.runtime()));
  return next_module_++;
}

void HostDevice::unload(ModuleId module) { modules_.erase(module); }

RunResult HostDevice::run(const Timed& timed, const RunOptions& options, Clock::time_point deadline) {
  assert(timed.execution != nullptr && timed.bindings.size() == timed.execution->arguments.size());
  const auto started = Clock::now();
  const auto& arguments = timed.execution->arguments;
  if (std::string why = set_symbols(timed); !why.empty()) return {Reason::launch_error, std::move(why), false, 0};
  for (const Step& step : timed.execution->steps) {
    if (step.kind == Step::Kind::launch) {
      if (auto failed = launch(step, timed, options, deadline)) return *failed;
      continue;
    }
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].name == step.argument) set(timed.bindings[i], step.byte, arguments[i].bytes());
  }
  RunResult result;
  result.us = std::chrono::duration<double, std::micro>(Clock::now() - started).count();
  return result;
}

std::string HostDevice::set_symbols(const Timed& timed) {
  const HostLibrary& library = *modules_.at(timed.module);
  const auto& arguments = timed.execution->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].symbol.empty()) continue;
    const tuner_simt::Symbol* symbol = library.find_symbol(arguments[i].symbol);
    if (symbol == nullptr) return no_symbol(arguments[i]);
    if (std::string why = symbol_mismatch(arguments[i], symbol->bytes); !why.empty()) return why;
    std::memcpy(symbol->address, pointer(timed.bindings[i]), byte_count(arguments[i].bytes()));
  }
  return {};
}

std::string HostDevice::refusal(const Step& step, const HostLibrary& library, const Execution& execution,
                                const PackedArguments& arguments) const {
  const tuner_simt::Entry* entry = library.find(step.entry);
  if (entry == nullptr) return fmt::format("the module has no __global__ '{}'", step.entry);
  const std::vector<int> bytes(entry->parameter_bytes, entry->parameter_bytes + entry->parameter_count);
  if (std::string why = mismatch(bytes, execution.arguments, arguments); !why.empty()) return step.entry + ": " + why;
  const Dim3 &grid = step.grid, &block = step.block;
  const std::int64_t threads = block.x * block.y * block.z;
  if (block.x < 1 || block.y < 1 || block.z < 1 || block.z > 64 || threads > facts_.max_threads_per_block)
    return fmt::format("a block of {}x{}x{} threads; the limit is {}", block.x, block.y, block.z,
                       facts_.max_threads_per_block);
  if (grid.x < 1 || grid.y < 1 || grid.z < 1 || grid.x > 2147483647 || grid.y > 65535 || grid.z > 65535)
    return fmt::format("a grid of {}x{}x{} blocks is outside the limits", grid.x, grid.y, grid.z);
  const Dim3& cluster = step.cluster;
  if (cluster.x < 1 || cluster.y < 1 || cluster.z < 1 || cluster.x * cluster.y * cluster.z > most_in_a_cluster)
    return fmt::format("a cluster of {}x{}x{} blocks; the limit is {}", cluster.x, cluster.y, cluster.z,
                       most_in_a_cluster);
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return fmt::format("a cluster of {}x{}x{} blocks does not divide a grid of {}x{}x{}", cluster.x, cluster.y,
                       cluster.z, grid.x, grid.y, grid.z);
  if (blocks_at_once(step) > tuner_simt::most_threads / threads)
    return fmt::format("{} blocks of {} threads at once; the host device has {} threads", blocks_at_once(step), threads,
                       static_cast<int>(tuner_simt::most_threads));
  const auto& shared = library.configuration();
  const std::int64_t shared_bytes = step.shared_bytes + (shared.shared_end - shared.shared_begin);
  if (shared_bytes > facts_.shared_max)
    return fmt::format("{} bytes of shared memory a block; the limit is {}", shared_bytes, facts_.shared_max);
  return {};
}

std::optional<RunResult> HostDevice::launch(const Step& step, const Timed& timed, const RunOptions& options,
                                            Clock::time_point deadline) {
  const HostLibrary& library = *modules_.at(timed.module);
  PackedArguments arguments = pack_arguments(timed.execution->arguments, step, timed.bindings);
  if (std::string why = refusal(step, library, *timed.execution, arguments); !why.empty())
    return RunResult{Reason::launch_error, std::move(why), false, 0};
  const auto& shared = library.configuration();
  HostLaunch launch;
  launch.entry = library.find(step.entry);
  launch.arguments = arguments.pointers.data();
  launch.step = &step;
  launch.order_seed = options.order_seed;
  launch.shared = {shared.shared_begin, shared.shared_end - shared.shared_begin, {}, step.shared_bytes};
  std::vector<Address> dynamic;
  if (step.shared_bytes > 0)
    for (std::int64_t i = 0; i < blocks_at_once(step); ++i)
      dynamic.push_back(memory_.allocate(step.shared_bytes, Placement::ends_at_fault));
  for (const Address each : dynamic) launch.shared.dynamic.push_back(static_cast<char*>(pointer(each)));
  launch.shared.dynamic.resize(byte_count(blocks_at_once(step)));
  // What comes after the first step starts when that has ended.
  const bool dependent = timed.execution->dependent && &step == &timed.execution->steps.front();
  const std::vector<Address> gated = dependent ? of_predecessor(timed) : std::vector<Address>();
  const auto gate = [&](bool open) {
    for (const Address address : gated) memory_.set_access(address, open);
  };
  if (dependent) launch.gate = gate;
  prepare_blocks(blocks_, launch);

  bool ended = false;
  const auto fault = run_guarded([&] { ended = run_blocks(blocks_, launch); }, deadline, blocks_.in_thread());
  gate(true);
  std::optional<RunResult> result;
  if (!fault && ended && dependent && !blocks_.has_waited()) {
    result = RunResult{Reason::fault,
                       fmt::format("{} never waits for its predecessor (griddepcontrol.wait)", step.entry), false, 0};
  } else if (fault) {
    result = result_of(*fault, timed);
  } else if (!ended) {
    result = RunResult{blocks_.reason(), blocks_.detail(), false, 0};
  }
  for (const Address each : dynamic) memory_.release(each);
  return result;
}

std::vector<Address> HostDevice::of_predecessor(const Timed& timed) const {
  std::vector<Address> gated;
  const auto& arguments = timed.execution->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].is_buffer && arguments[i].symbol.empty() && arguments[i].role != Role::weight)
      gated.push_back(timed.bindings[i]);
  return gated;
}

RunResult HostDevice::result_of(const HostFault& fault, const Timed& timed) const {
  const std::string where = " in " + position_text(blocks_.position());
  const char* verb = fault.write ? "writes" : "reads";
  if (fault.signal == 0) return {Reason::timeout, "did not end before its deadline; last" + where, false, 0};
  if (fault.signal == SIGFPE) return {Reason::fault, "an integer division fails" + where, false, 0};
  if (fault.signal == SIGILL) return {Reason::fault, "an illegal instruction" + where, false, 0};
  if (blocks_.stacks().is_below_a_stack(fault.address))
    return {Reason::fault, fmt::format("more than {} bytes of stack{}", HostStacks::stack_bytes, where), false, 0};
  const auto buffer = memory_.around(fault.address);
  if (!buffer)
    return {Reason::fault, fmt::format("{} address {:#x}, in no buffer{}", verb, fault.address, where), false, 0};
  const auto& arguments = timed.execution->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].is_buffer) continue;
    const Address start = timed.bindings[i];
    const auto own = memory_.around(start);
    if (!own || own->reserved != buffer->reserved) continue;
    const auto offset = static_cast<std::int64_t>(fault.address - start);
    if (offset >= 0 && offset < arguments[i].bytes() && !blocks_.is_open())
      return {Reason::fault, fmt::format("{} {} before griddepcontrol.wait{}", verb, arguments[i].name, where), false,
              0};
    const std::int64_t past = offset - arguments[i].bytes();
    const std::string how_far = offset < 0  ? fmt::format("{} bytes before the start", -offset)
                                : past == 0 ? std::string("just past the end")
                                            : fmt::format("{} bytes past the end", past);
    return {Reason::out_of_bounds,
            fmt::format("{} {} of '{}' (offset {}){}", verb, how_far, arguments[i].name, offset, where), false, 0};
  }
  return {Reason::out_of_bounds,
          fmt::format("{} outside of dynamic shared memory or of a buffer it was not given{}", verb, where), false, 0};
}

Compared HostDevice::compare(const Comparison&) { throw std::logic_error("the host device compares nothing"); }
GraphId HostDevice::record(std::span<const Timed>, std::span<const Copy>) { no_times(); }
void HostDevice::drop(GraphId) { no_times(); }
std::vector<double> HostDevice::replay(std::span<const GraphId>, Clock::time_point) { no_times(); }
std::string HostDevice::record_foreign(const std::string&, std::span<const Timed>, std::span<const Copy>, GraphId&) {
  no_times();
}
std::string HostDevice::record_vendor_gemv(const Gemv&, GraphId&) { no_times(); }

std::unique_ptr<Device> open_host() { return std::make_unique<HostDevice>(); }

}  // namespace tuner::device
