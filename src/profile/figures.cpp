#include "profile/figures.h"

#include <algorithm>

#include "profile/metrics.h"

namespace tuner::profile {
namespace {

constexpr Target above(double value) { return {Target::Kind::above, value}; }

// Why these have no values.
std::string why_not(const LaunchCounters& launch, const std::vector<std::string_view>& metrics) {
  for (const std::string_view name : metrics)
    for (const auto& [absent, why] : launch.absent)
      if (absent == name) return why;
  return "not counted";
}

using Names = std::initializer_list<std::string_view>;

// Empty where one of them was not counted.
std::optional<double> sum_of(const LaunchCounters& launch, Names metrics) {
  double sum = 0;
  for (const std::string_view metric : metrics) {
    const auto value = launch.find(metric);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

// `none`: why there is no value where `under` is 0.
Figure quotient(const LaunchCounters& launch, const FigureKind& kind, Names over, Names under, std::string_view none) {
  const auto dividend = sum_of(launch, over), divisor = sum_of(launch, under);
  if (dividend && divisor && *divisor > 0) return {&kind, *dividend / *divisor, {}};
  if (divisor == 0.0) return {&kind, {}, std::string(none)};
  std::vector<std::string_view> all(over);
  all.insert(all.end(), under);
  return {&kind, {}, why_not(launch, all)};
}

Figure scaled(const LaunchCounters& launch, const FigureKind& kind, std::string_view metric, double by) {
  const auto value = launch.find(metric);
  if (value) return {&kind, *value * by, {}};
  return {&kind, {}, why_not(launch, {metric})};
}

constexpr std::string_view no_loads = "it loads nothing from global memory";

Figure figure_of(const LaunchCounters& launch, const FigureKind& kind) {
  constexpr double percent = 0.01;
  if (kind.key == "dram_throughput") return scaled(launch, kind, metric::dram, percent);
  if (kind.key == "sm_throughput") return scaled(launch, kind, metric::sm, percent);
  if (kind.key == "occupancy") return scaled(launch, kind, metric::occupancy, percent);
  if (kind.key == "l2_hit_rate") {
    Figure hits = scaled(launch, kind, metric::l2_hit, percent);
    // Hits and look-ups are counted in different passes over a launch.
    if (hits.value) hits.value = std::min(*hits.value, 1.0);
    return hits;
  }
  if (kind.key == "sectors_per_request")
    return quotient(launch, kind, {metric::load_sectors}, {metric::load_requests}, no_loads);
  if (kind.key == "load_efficiency") {
    if (launch.find(metric::load_requests) == 0.0) return {&kind, {}, std::string(no_loads)};
    return scaled(launch, kind, metric::load_efficiency, percent);
  }
  if (kind.key == "warp_efficiency") return scaled(launch, kind, metric::threads_a_warp, 1.0 / 32);
  if (kind.key == "bank_conflicts")
    return quotient(launch, kind, {metric::load_conflicts, metric::store_conflicts},
                    {metric::load_wavefronts, metric::store_wavefronts}, "it uses no shared memory");
  if (kind.key == "dram_read") return scaled(launch, kind, metric::dram_read, 1);
  return scaled(launch, kind, metric::dram_written, 1);
}

struct Waiting {
  std::string_view reason, what, kind;
};
constexpr std::string_view global = "global memory", shared = "shared memory", others = "other warps",
                           computing = "arithmetic", fetching = "instructions", turn = "its turn";
constexpr Waiting waitings[] = {{"barrier", "the other warps of its block, at a barrier", others},
                                {"branch_resolving", "the target of a branch", fetching},
                                {"dispatch_stall", "the dispatcher", computing},
                                {"drain", "its last stores to land", global},
                                {"gmma", "the matrix instructions of its warp group", computing},
                                {"imc_miss", "a constant that is not in its cache", fetching},
                                {"lg_throttle", "room in the queue of global loads: fewer, wider ones help", global},
                                {"long_scoreboard", "a value from global memory", global},
                                {"math_pipe_throttle", "an arithmetic pipe that is busy", computing},
                                {"membar", "a memory fence", others},
                                {"mio_throttle", "room in the queue of shared-memory instructions", shared},
                                {"misc", "something else in the hardware", fetching},
                                {"no_instruction", "its next instruction to be fetched", fetching},
                                {"not_selected", "its turn: another warp was ready as well", turn},
                                {"short_scoreboard", "a value from shared memory or a special function", shared},
                                {"sleeping", "the end of its sleep", others},
                                {"tex_throttle", "room in the queue of texture loads", global},
                                {"wait", "the fixed latency of an instruction before", computing}};

std::string low_sm(const LaunchCounters& launch) {
  const auto dram = figure(launch, "dram_throughput"), occupancy = figure(launch, "occupancy");
  if (dram && *dram >= 0.6) return "the SMs wait for DRAM, which is busy: no fault where memory is the limit";
  if (occupancy && *occupancy <= 0.5) return "few warps are resident, so little hides what each waits for";
  const auto stalls = stalls_of(launch);
  if (stalls.empty()) return "warps wait more than they compute";
  return "warps wait, most of all for " + std::string(waits_for(stalls.front().reason));
}

std::string meaning(const LaunchCounters& launch, std::string_view key) {
  if (key == "sm_throughput") return low_sm(launch);
  if (key == "occupancy")
    return "few warps are resident: registers or shared memory keep blocks away, or the grid is too small";
  if (key == "l2_hit_rate")
    return "little is found in L2: so it is where all is read once; where bytes are reused, tiling raises it";
  if (key == "load_efficiency")
    return "neighbouring threads read far apart, and each sector of 32 bytes brings some that nobody uses: uncoalesced";
  if (key == "warp_efficiency") return "lanes of a warp idle: branches that diverge, or loops of unequal length";
  return "threads of a warp meet in one bank of shared memory: pad the rows of the array by one element";
}

}  // namespace

const std::vector<FigureKind>& figure_kinds() {
  static const std::vector<FigureKind> kinds{
      {"dram_throughput", "DRAM throughput", "DRAM", Unit::share, {}},
      {"sm_throughput", "SM throughput", "SM", Unit::share, above(0.8)},
      {"occupancy", "achieved occupancy", "occupancy", Unit::share, above(0.5)},
      {"l2_hit_rate", "L2 hit rate", "L2 hit", Unit::share, above(0.5)},
      {"sectors_per_request", "sectors per request", "sectors/req", Unit::ratio, {}},
      {"load_efficiency", "global load efficiency", "load eff.", Unit::share, above(0.8)},
      {"warp_efficiency", "warp execution efficiency", "warp eff.", Unit::share, above(0.85)},
      {"bank_conflicts", "bank conflicts", "conflicts", Unit::share, Target{Target::Kind::at_most, 0}},
      {"dram_read", "read from DRAM", "read", Unit::bytes, {}},
      {"dram_written", "written to DRAM", "written", Unit::bytes, {}}};
  return kinds;
}

bool Figure::misses() const {
  if (!value || !kind->target) return false;
  // What is shown as the target does not miss it; and where none should be, a few are the hardware's own.
  constexpr double shown = 0.0005, few = 0.1;
  return kind->target->kind == Target::Kind::above ? *value < kind->target->value - shown
                                                   : *value > kind->target->value + few;
}

std::vector<Figure> figures_of(const LaunchCounters& launch) {
  std::vector<Figure> figures;
  for (const FigureKind& kind : figure_kinds()) figures.push_back(figure_of(launch, kind));
  return figures;
}

std::optional<double> figure(const LaunchCounters& launch, std::string_view key) {
  for (const FigureKind& kind : figure_kinds())
    if (kind.key == key) return figure_of(launch, kind).value;
  return std::nullopt;
}

double instructions(const LaunchCounters& launch) { return launch.find(metric::issued).value_or(0); }

std::vector<Stall> stalls_of(const LaunchCounters& launch) {
  const double issued = instructions(launch);
  std::vector<Stall> stalls;
  double all = 0;
  for (const auto& [name, cycles] : launch.values) {
    const std::string_view reason = metric::stall_reason(name);
    if (reason.empty() || cycles <= 0) continue;
    all += cycles;
    if (reason != "selected") stalls.push_back({std::string(reason), cycles, cycles * issued, 0});
  }
  for (Stall& stall : stalls) stall.share = stall.cycles / all;
  std::stable_sort(stalls.begin(), stalls.end(), [](const Stall& a, const Stall& b) { return a.cycles > b.cycles; });
  return stalls;
}

std::string_view waits_for(std::string_view reason) {
  for (const Waiting& waiting : waitings)
    if (waiting.reason == reason) return waiting.what;
  return "what ncu calls by this name";
}

std::string_view kind_of(std::string_view reason) {
  for (const Waiting& waiting : waitings)
    if (waiting.reason == reason) return waiting.kind;
  return fetching;
}

std::vector<Advice> advice_of(const LaunchCounters& launch) {
  std::vector<Advice> all;
  const auto dram = figure(launch, "dram_throughput"), sm = figure(launch, "sm_throughput");
  if (dram && sm && *dram < 0.6 && *sm < 0.6)
    all.push_back({"",
                   "neither memory nor the SMs are near their limit: latency is; more warps, or more bytes in flight "
                   "in each thread, hide it"});
  for (const Figure& each : figures_of(launch))
    if (each.misses()) all.push_back({std::string(each.kind->key), meaning(launch, each.kind->key)});
  return all;
}

}  // namespace tuner::profile
