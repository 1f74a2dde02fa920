// A device in ordinary memory whose kernels are written here, right ones and wrong ones, so that verification, timing
// and the worker can be tried without a GPU. An artifact's image names the kernel: "gemv", "gemv:FAULT",
// "gemv:FAULT@MICROSECONDS".
#pragma once

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "device/device.h"
#include "device/generator.h"
#include "unit/measure/fake_kernels.h"
#include "unit/measure/support_on_host.h"

namespace tuner {

class FakeDevice : public device::Device {
 public:
  explicit FakeDevice(bool emulated = false) : emulated_(emulated) {
    facts_.name = emulated ? "host" : "Fake GPU";
    facts_.arch = 90;
    facts_.l2_bytes = 1 << 20;
    facts_.memory_bytes = std::int64_t{1} << 30;
  }

  const GpuFacts& facts() const override { return facts_; }
  bool emulated() const override { return emulated_; }
  std::int64_t free_bytes() override { return free_bytes_; }
  void set_free_bytes(std::int64_t bytes) { free_bytes_ = bytes; }

  device::Address allocate(std::int64_t bytes, device::Placement) override {
    if (bytes > free_bytes_) throw MachineError("out of device memory");
    // Room on both sides for kernels that write outside their buffers on purpose.
    constexpr device::Address room = 8192;
    auto memory = std::make_unique<std::byte[]>(static_cast<std::size_t>(bytes) + 256 + 2 * room);
    const auto address = (reinterpret_cast<device::Address>(memory.get()) + room + 255) / 256 * 256;
    memory_[address] = std::move(memory);
    return address;
  }
  void release(device::Address address) override { memory_.erase(address); }
  std::size_t allocations() const { return memory_.size(); }

  void set(device::Address address, int byte, std::int64_t bytes) override {
    std::memset(at(address), byte, static_cast<std::size_t>(bytes));
  }
  void upload(device::Address address, std::span<const std::byte> bytes) override {
    std::memcpy(at(address), bytes.data(), bytes.size());
  }
  void download(device::Address address, std::span<std::byte> bytes) override {
    downloaded_bytes_ += static_cast<std::int64_t>(bytes.size());
    std::memcpy(bytes.data(), at(address), bytes.size());
  }
  void copy(device::Address to, device::Address from, std::int64_t bytes) override {
    std::memcpy(at(to), at(from), static_cast<std::size_t>(bytes));
  }
  void fill(device::Address address, const device::FillRequest& request) override {
    upload(address, device::generated_bytes(request));
  }
  std::uint64_t checksum(device::Address address, std::int64_t bytes) override {
    return device::checksum({at(address), static_cast<std::size_t>(bytes)});
  }
  std::int64_t first_not(device::Address address, int byte, std::int64_t bytes) override {
    const std::byte* begin = at(address);
    const auto* end = begin + bytes;
    const auto* found = std::find_if(begin, end, [&](std::byte b) { return b != static_cast<std::byte>(byte); });
    return found == end ? -1 : found - begin;
  }
  void widen(device::Address to, device::Address from, Type type, std::int64_t count, bool absolute) override {
    gpu::launch(3, [&] {
      gpu::tuner_widen(reinterpret_cast<double*>(to), at(from), static_cast<unsigned long long>(count),
                       static_cast<int>(type), absolute ? 1 : 0);
    });
  }
  device::Compared compare(const device::Comparison& comparison) override {
    ++compares_;
    return compare_on_host(comparison);
  }

  device::ModuleId load(const Artifact& artifact) override {
    if (artifact.image == "broken") throw MachineError("the image does not load");
    modules_[++last_] = artifact.image;
    return last_;
  }
  void unload(device::ModuleId module) override { modules_.erase(module); }

  device::RunResult run(const device::Timed& timed, const device::RunOptions& options,
                        device::Clock::time_point deadline) override;

  // As a GPU: what is left is written while the kernel runs, which has seen what was there before ("early") or has
  // waited. "writes_early": what it wrote is lost.
  device::RunResult run_chain(std::span<const device::Link> links, const device::RunOptions& options,
                              device::Clock::time_point deadline) override {
    device::RunResult result;
    links_ += static_cast<int>(links.size());
    for (const device::Link& link : links) {
      const std::string fault = fault_of(link.timed.module);
      const auto leave = [&](bool inputs) {
        for (const device::Left& left : link.before)
          if ((left.from != 0) == inputs) device::leave(*this, left);
      };
      if (fault != "early") leave(true);
      if (fault != "writes_early") leave(false);
      result = run(link.timed, options, deadline);
      if (fault == "early") leave(true);
      if (fault == "writes_early") leave(false);
      if (result.reason != Reason::none) break;
    }
    return result;
  }
  int links() const { return links_; }

  device::GraphId record(std::span<const device::Timed> launches, std::span<const device::Copy> before) override {
    auto& graph = graphs_[++last_];
    before_[last_] = {before.begin(), before.end()};
    for (const device::Timed& launch : launches) {
      if (executions_.empty() || executions_.back() != *launch.execution) executions_.push_back(*launch.execution);
      graph.push_back({launch.module, &executions_.back(), launch.bindings});
    }
    return last_;
  }
  void drop(device::GraphId graph) override { graphs_.erase(graph); }
  std::vector<double> replay(std::span<const device::GraphId> graphs, device::Clock::time_point deadline) override;
  std::string record_vendor_gemv(const Gemv& gemv, device::GraphId& graph) override {
    if (gemv.order == 1) return "no vendor library here";
    graph = record({}, {});
    vendor_launches_[graph] = static_cast<int>(gemv.a.size());
    return {};
  }
  std::string record_foreign(const std::string&, std::span<const device::Timed>, std::span<const device::Copy>,
                             device::GraphId&) override {
    return "no baselines here";
  }
  Conditions conditions() override {
    Conditions c;
    c.sm_clock_mhz = 1234;
    return c;
  }

  std::size_t modules() const { return modules_.size(); }
  std::size_t graphs() const { return graphs_.size(); }
  std::span<const device::Timed> launches(device::GraphId graph) const { return graphs_.at(graph); }
  int runs() const { return runs_; }
  int compares() const { return compares_; }
  std::int64_t downloaded_bytes() const { return downloaded_bytes_; }

 private:
  static std::byte* at(device::Address address) { return fake_memory(address); }
  std::string fault_of(device::ModuleId module) const;
  double us_of(device::ModuleId module) const;

  bool emulated_;
  GpuFacts facts_;
  std::int64_t free_bytes_ = std::int64_t{1} << 28;
  std::map<device::Address, std::unique_ptr<std::byte[]>> memory_;
  std::map<device::ModuleId, std::string> modules_;
  std::map<device::GraphId, std::vector<device::Timed>> graphs_;
  std::map<device::GraphId, std::vector<device::Copy>> before_;
  std::deque<Execution> executions_;  // of recorded launches
  std::map<device::GraphId, int> vendor_launches_;
  int last_ = 0;
  int runs_ = 0;
  int links_ = 0;
  int compares_ = 0;
  std::int64_t downloaded_bytes_ = 0;
  std::mt19937_64 random_{1};
};

inline std::string FakeDevice::fault_of(device::ModuleId module) const {
  const std::string& image = modules_.at(module);
  const auto colon = image.find(':');
  return colon == std::string::npos ? "" : image.substr(colon + 1, image.find('@') - colon - 1);
}

inline double FakeDevice::us_of(device::ModuleId module) const {
  const std::string& image = modules_.at(module);
  const auto mark = image.find('@');
  return mark == std::string::npos ? 10 : std::atof(image.c_str() + mark + 1);
}

// "right_once" is wrong on any other data, "lucky" takes twice as long.
inline device::RunResult FakeDevice::run(const device::Timed& timed, const device::RunOptions& options,
                                         device::Clock::time_point deadline) {
  const std::string fault = fault_of(timed.module);
  device::RunResult result;
  ++runs_;
  if (fault == "crash") std::abort();
  if (fault == "exit") ::_exit(3);
  if (fault == "shot") ::raise(SIGKILL);
  while (fault == "deaf") std::this_thread::sleep_for(std::chrono::seconds(1));
  if (fault == "hang" || device::Clock::now() > deadline) {
    std::this_thread::sleep_until(deadline);
    return {Reason::timeout, "still running at its deadline", true, 0};
  }
  if (fault == "trap") return {Reason::fault, "an illegal address was read", true, 0};
  if (fault == "no_launch") return {Reason::launch_error, "too many threads", false, 0};
  fake_gemv(timed, fault == "right_once" && !has_first_data(timed) ? "drop_last" : fault, options.order_seed, runs_);
  result.us = us_of(timed.module) + 10;
  return result;
}

inline std::vector<double> FakeDevice::replay(std::span<const device::GraphId> graphs, device::Clock::time_point) {
  std::vector<double> us;
  std::normal_distribution<double> noise(0, 0.005);
  for (const device::GraphId graph : graphs) {
    double sum = 0;
    if (const auto vendor = vendor_launches_.find(graph); vendor != vendor_launches_.end()) sum = 12.5 * vendor->second;
    for (const device::Copy& each : before_[graph]) copy(each.to, each.from, each.bytes);
    for (const device::Timed& launch : graphs_.at(graph)) {
      const std::string fault = fault_of(launch.module);
      if (fault == "dies_timed") std::abort();
      if (fault == "lost_timed") throw MachineError("an illegal address was read");
      fake_gemv(launch, fault == "wrong_timed" ? "drop_last" : fault, 0, runs_);
      sum += us_of(launch.module) * (fault == "lucky" && !has_first_data(launch) ? 2 : 1);
    }
    us.push_back(sum * std::exp(noise(random_)));
  }
  return us;
}

inline Artifact fake_artifact(const std::string& image) {
  Artifact artifact;
  artifact.image = image;
  return artifact;
}

}  // namespace tuner
