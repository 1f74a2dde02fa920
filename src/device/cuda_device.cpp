#include "device/cuda_device.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <set>

#include "core/error.h"
#include "device/cuda_facts.h"

namespace tuner::device {

namespace {

constexpr int kSupportBlock = 256;
constexpr std::int64_t kSupportBlocksPerSm = 8;
// The system ends a kernel on a GPU with a display after about two seconds, and the screen stands still meanwhile.
constexpr std::chrono::milliseconds kDisplayLimit{800};

std::size_t size(std::int64_t bytes) {
  assert(bytes >= 0);
  return static_cast<std::size_t>(bytes);
}

void* pointer(const void* value) { return const_cast<void*>(value); }

}  // namespace

CudaDevice::CudaDevice(const Driver& driver, int index, const Artifact& support)
    : device_(cuda_device(driver, index)),
      facts_(cuda_facts(driver, device_)),
      nvml_(facts_.uuid, pci_bus_id(driver, device_)),
      context_(driver, device_),
      modules_(context_),
      graphs_(context_) {
  const ModuleId module = modules_.load(support);
  fill_ = modules_.function(module, "tuner_fill");
  checksum_ = modules_.function(module, "tuner_checksum");
  first_not_ = modules_.function(module, "tuner_first_not");
  compare_ = modules_.function(module, "tuner_compare");
  widen_ = modules_.function(module, "tuner_widen");
  leave_ = modules_.function(module, "tuner_leave");
  feed_ = modules_.function(module, "tuner_feed");
  context_.check(driver.event_create(&start_, cu::kEventDefault), "create an event");
  context_.check(driver.event_create(&end_, cu::kEventDefault), "create an event");
  result_ = allocate(3 * sizeof(std::uint64_t), Placement::anywhere);
}

CudaDevice::~CudaDevice() {
  if (context_.lost()) return;
  cublas_.close();
  const Driver& driver = context_.driver();
  driver.event_destroy(start_);
  driver.event_destroy(end_);
  driver.memory_free(result_);
  if (workspace_) driver.memory_free(workspace_);
}

std::int64_t CudaDevice::free_bytes() {
  std::size_t free = 0, total = 0;
  context_.check(context_.driver().memory_info(&free, &total), "ask for the free memory");
  return static_cast<std::int64_t>(free);
}

Address CudaDevice::allocate(std::int64_t bytes, Placement) {
  cu::Pointer address = 0;
  const cu::Result result = context_.driver().memory_allocate(&address, std::max<std::size_t>(size(bytes), 1));
  if (result == cu::kOutOfMemory)
    throw MachineError(fmt::format("out of GPU memory: {} bytes wanted, {} free", bytes, free_bytes()), facts_.name,
                       "end what else runs on this GPU, or tune a smaller shape");
  context_.check(result, "allocate GPU memory");
  return address;
}

void CudaDevice::release(Address address) {
  if (!context_.lost()) context_.check(context_.driver().memory_free(address), "free GPU memory");
}

void CudaDevice::set(Address address, int byte, std::int64_t bytes) {
  if (bytes == 0) return;
  context_.check(
      context_.driver().memory_set(address, static_cast<unsigned char>(byte), size(bytes), context_.stream()),
      "set GPU memory");
}

void CudaDevice::upload(Address address, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  context_.check(context_.driver().copy_to_device(address, bytes.data(), bytes.size(), context_.stream()),
                 "copy to the GPU");
  context_.settle();  // the caller's bytes may go
}

void CudaDevice::download(Address address, std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  context_.check(context_.driver().copy_to_host(bytes.data(), address, bytes.size(), context_.stream()),
                 "copy from the GPU");
  context_.settle();
}

void CudaDevice::copy(Address to, Address from, std::int64_t bytes) {
  if (bytes == 0) return;
  context_.check(context_.driver().copy_on_device(to, from, size(bytes), context_.stream()), "copy on the GPU");
}

void CudaDevice::fill(Address address, const FillRequest& request) {
  if (request.count == 0) return;
  assert(request.magnitude > 0);
  const auto type = static_cast<int>(request.type);
  const int kind = request.exact ? -1 : static_cast<int>(request.kind);
  const auto low = static_cast<float>(request.low), high = static_cast<float>(request.high);
  const std::array<void*, 8> arguments{&address,       pointer(&request.count), pointer(&request.seed),
                                       pointer(&type), pointer(&kind),          pointer(&request.magnitude),
                                       pointer(&low),  pointer(&high)};
  support(fill_, request.count, arguments);
}

std::uint64_t CudaDevice::checksum(Address address, std::int64_t bytes) {
  const std::array<void*, 3> arguments{&address, &bytes, &result_};
  return support_result(checksum_, (bytes + 15) / 16, arguments, 0);
}

std::int64_t CudaDevice::first_not(Address address, int byte, std::int64_t bytes) {
  const std::array<void*, 4> arguments{&address, &bytes, &byte, &result_};
  // All ones, which no offset reaches, is -1.
  return static_cast<std::int64_t>(support_result(first_not_, (bytes + 15) / 16 + 32, arguments, 0xFF));
}

void CudaDevice::widen(Address to, Address from, Type type, std::int64_t count, bool absolute) {
  assert(is_floating(type));
  if (count == 0) return;
  const int type_number = static_cast<int>(type), is_absolute = absolute ? 1 : 0;
  const std::array<void*, 5> arguments{&to, &from, &count, pointer(&type_number), pointer(&is_absolute)};
  support(widen_, count, arguments);
}

Compared CudaDevice::compare(const Comparison& c) {
  assert(can_compare(c.type) && (c.magnitude != 0 || !c.tolerance.steps));
  const int type = static_cast<int>(c.type), steps = c.tolerance.steps ? 1 : 0;
  std::array<std::uint64_t, 3> found{};
  if (c.count == 0) return {};
  set(result_, 0, sizeof found);
  const std::array<void*, 10> arguments{pointer(&c.result),
                                        pointer(&c.count),
                                        pointer(&type),
                                        pointer(&c.value),
                                        pointer(&c.magnitude),
                                        pointer(&steps),
                                        pointer(&c.tolerance.gamma),
                                        pointer(&c.tolerance.relative),
                                        pointer(&c.tolerance.absolute),
                                        &result_};
  support(compare_, c.count, arguments);
  download(result_, std::as_writable_bytes(std::span(found)));
  return {static_cast<std::int64_t>(found[0]), std::bit_cast<double>(found[1]), std::bit_cast<double>(found[2])};
}

void CudaDevice::support(cu::Function kernel, std::int64_t work, std::span<void* const> arguments) {
  const std::int64_t most = std::max<std::int64_t>(facts_.sm_count, 1) * kSupportBlocksPerSm;
  const auto blocks = std::clamp<std::int64_t>((work + kSupportBlock - 1) / kSupportBlock, 1, most);
  std::vector<void*> pointers(arguments.begin(), arguments.end());
  context_.check(context_.driver().launch(kernel, static_cast<unsigned>(blocks), 1, 1, kSupportBlock, 1, 1, 0,
                                          context_.stream(), pointers.data(), nullptr),
                 "launch a support kernel");
}

std::uint64_t CudaDevice::support_result(cu::Function kernel, std::int64_t work, std::span<void* const> arguments,
                                         int before) {
  std::uint64_t word = 0;
  set(result_, before, sizeof word);
  support(kernel, work, arguments);
  download(result_, std::as_writable_bytes(std::span(&word, 1)));
  return word;
}

RunResult CudaDevice::run(const Timed& timed, const RunOptions&, Clock::time_point deadline) {
  const Driver& driver = context_.driver();
  context_.settle();  // what came before is neither charged to this run nor timed with it
  const auto start = Clock::now();
  auto outcome = modules_.set_symbols(timed);
  context_.check(driver.event_record(start_, context_.stream()), "record an event");
  if (outcome.ok()) outcome = modules_.enqueue(timed);
  return ended(outcome, start, deadline);
}

RunResult CudaDevice::ended(const CudaModules::Outcome& outcome, Clock::time_point start, Clock::time_point deadline) {
  const Driver& driver = context_.driver();
  if (outcome.ok()) {
    context_.check(driver.event_record(end_, context_.stream()), "record an event");
    return finish(start, facts_.display ? std::min(deadline, start + kDisplayLimit) : deadline);
  }
  RunResult result;
  result.reason = reason_of(outcome.result);
  result.detail = outcome.detail;
  if (is_sticky(outcome.result)) {
    context_.lose();
  } else if (RunResult rest = finish(start, deadline); rest.device_lost) {
    return rest;  // steps before the refused one did worse
  }
  result.device_lost = context_.lost();
  return result;
}

RunResult CudaDevice::finish(Clock::time_point start, Clock::time_point deadline) {
  RunResult result;
  const cu::Result waited = context_.wait(deadline);
  if (waited == cu::kNotReady) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
    result = {Reason::timeout, fmt::format("still running after {} ms", ms), true, 0};
  } else if (waited != cu::kSuccess) {
    const Reason reason = waited == cu::kLaunchTimeout ? Reason::timeout : Reason::fault;
    result = {reason, error_text(context_.driver(), waited), true, 0};
  } else {
    float ms = 0;
    if (context_.driver().event_elapsed(&ms, start_, end_) == cu::kSuccess) result.us = static_cast<double>(ms) * 1e3;
  }
  return result;
}

GraphId CudaDevice::record(std::span<const Timed> launches, std::span<const Copy> before) {
  GraphId graph = -1;
  const std::string why = graphs_.record(
      [&]() -> std::string {
        const std::string copied = enqueue_copies(before);
        return copied.empty() ? set_symbols(launches) : copied;
      },
      [&]() -> std::string {
        bool after_launch = false;
        for (const auto& timed : launches) {
          const auto outcome = modules_.enqueue(timed, after_launch && timed.execution->dependent);
          if (!outcome.ok()) return outcome.detail;
          after_launch = timed.execution->steps.back().kind == Step::Kind::launch;
        }
        return {};
      },
      graph);
  if (!why.empty()) throw MachineError("cannot record a graph: " + why);
  return graph;
}

// A weight in a __constant__ does not rotate: there is one of it, and every copy holds the same.
std::string CudaDevice::set_symbols(std::span<const Timed> launches) {
  std::set<ModuleId> done;
  for (const Timed& timed : launches)
    if (done.insert(timed.module).second)
      if (const auto outcome = modules_.set_symbols(timed); !outcome.ok()) return outcome.detail;
  return {};
}

std::string CudaDevice::enqueue_copies(std::span<const Copy> copies) {
  for (const Copy& each : copies) {
    const cu::Result result = context_.driver().copy_on_device(each.to, each.from, size(each.bytes), context_.stream());
    if (result != cu::kSuccess) return "restore a buffer: " + error_text(context_.driver(), result);
  }
  return {};
}

std::string CudaDevice::record_foreign(const std::string& library, std::span<const Timed> calls,
                                       std::span<const Copy> before, GraphId& graph) {
  Baseline& baseline = baselines_[library];
  if (std::string why = baseline.foreign.open(library); !why.empty()) return why;
  const auto call = [&](const Timed& timed, Address workspace) {
    return baseline.foreign.call(timed, reinterpret_cast<void*>(workspace), baseline.bytes, context_.stream());
  };
  // What it needs, then once outside of the capture, which must not see kernels being loaded.
  const std::size_t had = baseline.bytes;
  if (std::string why = call(calls.front(), 0); !why.empty()) return why;
  if (baseline.workspace == 0 || baseline.bytes > had) {
    if (baseline.workspace != 0) release(baseline.workspace);
    baseline.workspace =
        allocate(static_cast<std::int64_t>(std::max<std::size_t>(baseline.bytes, 256)), Placement::anywhere);
  }
  if (std::string why = call(calls.front(), baseline.workspace); !why.empty()) return why;
  context_.settle();
  return graphs_.record([&] { return enqueue_copies(before); },
                        [&]() -> std::string {
                          for (const Timed& timed : calls)
                            if (std::string why = call(timed, baseline.workspace); !why.empty()) return why;
                          return {};
                        },
                        graph);
}

std::vector<double> CudaDevice::replay(std::span<const GraphId> graphs, Clock::time_point deadline) {
  return graphs_.replay(graphs, deadline);
}

const std::string& CudaDevice::open_cublas() {
  if (!cublas_tried_) {
    cublas_tried_ = true;
    workspace_ = allocate(Cublas::kWorkspaceBytes, Placement::anywhere);
    no_cublas_ = cublas_.open(context_.stream(), workspace_);
  }
  return no_cublas_;
}

std::string CudaDevice::record_vendor_gemv(const Gemv& gemv, GraphId& graph) {
  assert(!gemv.a.empty() && gemv.a.size() == gemv.y.size());
  if (const std::string& why = open_cublas(); !why.empty()) return why;
  // The first call of a size chooses and loads its kernel, which a capture must not see.
  if (std::string why = cublas_.gemv(gemv, 0); !why.empty()) return why;
  context_.settle();
  return graphs_.record([] { return std::string(); },
                        [&]() -> std::string {
                          for (std::size_t copy = 0; copy < gemv.a.size(); ++copy)
                            if (std::string why = cublas_.gemv(gemv, copy); !why.empty()) return why;
                          return {};
                        },
                        graph);
}

std::unique_ptr<Device> open_cuda(int index, const Artifact& support) {
  return std::make_unique<CudaDevice>(driver(), index, support);
}

}  // namespace tuner::device
