#include "report/hierarchy.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/figures.h"
#include "report/format.h"
#include "report/table.h"
#include "store/store.h"

namespace tuner::report {
namespace {

// A tie is broken by what is preferred in use; what the GPU reaches is the fastest.
const Trial* fastest(const store::Entry& entry) {
  std::vector<std::int64_t> ids = entry.result.tied;
  ids.push_back(entry.result.winner);
  const Trial* best = nullptr;
  for (const std::int64_t id : ids) {
    const Trial* trial = find_trial(entry.trials, id);
    const Trial* timed = trial == nullptr ? nullptr : timed_twin(*trial, entry.trials);
    if (timed != nullptr && (best == nullptr || timed->time_us < best->time_us)) best = timed;
  }
  return best;
}

// Empty where the entry says nothing of it.
std::optional<MeasuredCeiling> measured(const CeilingProbe& probe, const store::Entry& entry) {
  MeasuredCeiling ceiling;
  ceiling.probe = &probe;
  ceiling.entry = &entry;
  ceiling.rated = rated_value(probe, entry.gpu);
  const ProblemResult& result = entry.result;
  if (result.problem.kernel != probe.kernel) {
    // Every sweep runs the large probes; a probe's own row has no such figure.
    ceiling.value = result.ceiling.sustained_gb_per_s;
    const bool is_it = probe.kernel == (copies(result) ? "probe_copy" : "probe_read");
    return is_it && ceiling.value > 0 ? std::optional(ceiling) : std::nullopt;
  }
  const Trial* timed = fastest(entry);
  if (timed == nullptr) return ceiling;
  const double steps = result.problem.dims.size() > 1 ? static_cast<double>(result.problem.dims[1]) : 0;
  ceiling.value = ceiling_value(probe, {result.bytes_read + result.bytes_written, result.flops, steps, timed->time_us});
  ceiling.spread = timed->spread;
  ceiling.config = timed->config.label();
  const int mhz = std::max(result.before.sm_clock_mhz, result.after.sm_clock_mhz);
  if (probe.unit == CeilingUnit::ns) ceiling.clocks = ceiling.value * mhz / 1e3;
  return ceiling;
}

bool is_of_sweep(const MeasuredCeiling& ceiling) {
  return ceiling.entry->result.problem.kernel != ceiling.probe->kernel;
}

// Of shared memory and L1 together, an SM; CUDA C++ programming guide, "technical specifications".
int l1_kib(int arch) {
  switch (arch) {
    case 75:
      return 96;
    case 80:
    case 87:
      return 192;
    case 86:
    case 89:
    case 120:
      return 128;
    case 90:
    case 100:
      return 256;
    default:
      return 0;
  }
}

struct Place {
  std::string_view name, latency, bandwidth;  // kernels; empty: none
  const char* scope;
};
constexpr Place places[] = {{"registers", "probe_latency_register", "", "thread"},
                            {"shared memory", "probe_latency_shared", "probe_shared", "block"},
                            {"L1", "probe_latency_l1", "probe_l1", "SM"},
                            {"L2", "probe_latency_l2", "probe_l2", "device"},
                            {"global memory", "probe_latency_memory", "probe_read", "device"},
                            {"  copied", "", "probe_copy", ""},
                            {"constant memory", "probe_latency_constant", "", "device, cached"}};

std::string size_text(std::string_view place, const GpuFacts& gpu) {
  if (place == "registers") return gpu.registers_per_sm > 0 ? bytes_text(gpu.registers_per_sm * 4.0) + " an SM" : "";
  if (place == "shared memory") return gpu.shared_max > 0 ? bytes_text(static_cast<double>(gpu.shared_max)) : "";
  if (place == "L1") {
    const int kib = l1_kib(gpu.arch);
    return kib > 0 ? fmt::format("{} KiB, shared memory's too", kib) : "";
  }
  if (place == "L2") return gpu.l2_bytes > 0 ? bytes_text(static_cast<double>(gpu.l2_bytes)) : "";
  if (place == "global memory") return gpu.memory_bytes > 0 ? bytes_text(static_cast<double>(gpu.memory_bytes)) : "";
  return place == "constant memory" ? "64 KiB" : "";
}

std::string value_text(const MeasuredCeiling* ceiling) {
  if (ceiling == nullptr) return "not measured";
  if (ceiling->value <= 0) return "no valid probe";
  if (ceiling->probe->unit == CeilingUnit::ns) return fmt::format("{:.1f} ns", ceiling->value);
  return fmt::format("{:.{}f} {}", ceiling->value, ceiling->value < 100 ? 1 : 0, to_text(ceiling->probe->unit));
}

std::string clocks_text(const MeasuredCeiling* ceiling) {
  return ceiling != nullptr && ceiling->clocks > 0 ? fmt::format("{:.0f} clocks", ceiling->clocks) : "";
}

std::string rated_text(const MeasuredCeiling* ceiling) {
  if (ceiling == nullptr || !ceiling->rated || ceiling->value <= 0) return "";
  return fmt::format("{:.0f}% of {:.{}f}", 100 * ceiling->value / *ceiling->rated, *ceiling->rated,
                     *ceiling->rated < 100 ? 1 : 0);
}

std::string throttle_text(const MeasuredCeiling& ceiling) {
  const Conditions& after = ceiling.entry->result.after;
  if (after.throttle.empty()) return {};
  return fmt::format("throttled to {} MHz: {}", after.sm_clock_mhz, after.throttle);
}

std::string where_from(const Hierarchy& hierarchy) {
  std::vector<std::string> lines;
  for (const MeasuredCeiling& each : hierarchy.ceilings) {
    const store::Entry& entry = *each.entry;
    const std::string line = fmt::format("driver {}, {}, {}, {}", entry.driver.empty() ? "unknown" : entry.driver,
                                         compiler_text(entry.nvrtc), entry.tuned_at.substr(0, 10), entry.layer);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string one_text(const Hierarchy& h, const Style& style) {
  std::string out = style.bold(gpu_text(h.gpu)) + "\n" + style.text(where_from(h)) + "\n";
  Table memory(
      {{"memory", false}, {"scope", false}, {"size", false}, {"latency"}, {""}, {"bandwidth"}, {"of rated", false}});
  for (const Place& place : places) {
    const MeasuredCeiling* latency = h.find(place.latency);
    const MeasuredCeiling* bandwidth = h.find(place.bandwidth);
    memory.add({std::string(place.name), place.scope, size_text(place.name, h.gpu),
                place.latency.empty() ? "-" : value_text(latency), clocks_text(latency),
                place.bandwidth.empty() ? "-" : value_text(bandwidth), rated_text(bandwidth)});
  }
  out += memory.text(style) + "\n";
  Table arithmetic({{"arithmetic", false}, {"reached"}, {"of rated", false}, {"probe", false, true}, {"", false}});
  for (const MeasuredCeiling& each : h.ceilings)
    if (each.probe->unit == CeilingUnit::tflop_per_s)
      arithmetic.add(
          {std::string(each.probe->of), value_text(&each), rated_text(&each), each.config, throttle_text(each)});
  if (!arithmetic.empty()) out += arithmetic.text(style);
  return out;
}

}  // namespace

bool copies(const ProblemResult& result) {
  return result.bytes_written >= 0.1 * (result.bytes_read + result.bytes_written);
}

const MeasuredCeiling* Hierarchy::find(std::string_view kernel) const {
  for (const MeasuredCeiling& each : ceilings)
    if (each.probe->kernel == kernel) return &each;
  return nullptr;
}

const MeasuredCeiling* Hierarchy::arithmetic(std::string_view unit) const {
  const MeasuredCeiling* best = nullptr;
  for (const MeasuredCeiling& each : ceilings)
    if (each.probe->arithmetic == unit && each.value > (best == nullptr ? 0 : best->value)) best = &each;
  return best;
}

std::vector<Hierarchy> hierarchies_of(const std::vector<store::Entry>& entries) {
  std::vector<Hierarchy> all;
  const auto of_gpu = [&all](const GpuFacts& gpu) -> Hierarchy& {
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const Hierarchy& each) { return store::same_model(each.gpu, gpu); });
    return known == all.end() ? all.emplace_back(Hierarchy{gpu, {}}) : *known;
  };
  for (const CeilingProbe& probe : ceiling_probes())
    for (const store::Entry& entry : entries) {
      const auto found = entry.emulated ? std::nullopt : measured(probe, entry);
      if (!found) continue;
      std::vector<MeasuredCeiling>& ceilings = of_gpu(entry.gpu).ceilings;
      const bool known = !ceilings.empty() && ceilings.back().probe == &probe;
      if (!known)
        ceilings.push_back(*found);
      else if (ceilings.back().value <= 0 ||
               ((is_of_sweep(*found) || is_of_sweep(ceilings.back())) && found->value > ceilings.back().value))
        ceilings.back() = *found;
    }
  return all;
}

std::string hierarchies_text(const std::vector<Hierarchy>& all, const Style& style) {
  std::string text;
  for (const Hierarchy& each : all) text += (text.empty() ? "" : "\n") + one_text(each, style);
  return text;
}

std::string hierarchies_json(const std::vector<Hierarchy>& all) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
  Json document{{"schema", 1}, {"gpus", Json::array()}};
  for (const Hierarchy& h : all) {
    Json ceilings = Json::array();
    for (const MeasuredCeiling& each : h.ceilings)
      ceilings.push_back({{"of", each.probe->of},
                          {"unit", to_text(each.probe->unit)},
                          {"value", number(each.value)},
                          {"spread", each.spread},
                          {"clocks", number(each.clocks)},
                          {"rated", number(each.rated.value_or(0))},
                          {"probe", each.probe->kernel},
                          {"config", each.config},
                          {"measured_at", each.entry->tuned_at},
                          {"throttle", each.entry->result.after.throttle},
                          {"driver", each.entry->driver},
                          {"nvrtc", each.entry->nvrtc},
                          {"layer", each.entry->layer}});
    document["gpus"].push_back(
        {{"gpu", h.gpu.name}, {"arch", arch_text(h.gpu.arch)}, {"sm_count", h.gpu.sm_count}, {"ceilings", ceilings}});
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
