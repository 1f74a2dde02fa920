#include <fmt/format.h>

#include <algorithm>

#include "profile/difference.h"
#include "profile/figures.h"
#include "report/format.h"
#include "report/profile_text.h"
#include "report/profile_values.h"
#include "report/table.h"

namespace tuner::report {
namespace {

using profile::Figure;

std::string quotient(double a, double b) { return a > 0 ? factor(b / a) : ""; }

// Cycles of all warps, in millions.
std::string millions(double cycles) { return cycles > 0 ? fmt::format("{:.1f} M", cycles / 1e6) : ""; }

std::string figures_of_both(const Profile& profile, const LaunchCounters& a, const LaunchCounters& b,
                            const Style& style) {
  Table table({{"", false}, {"A"}, {"B"}, {"B/A"}, {"target"}});
  const std::vector<Figure> of_a = profile::figures_of(a), of_b = profile::figures_of(b);
  for (std::size_t i = 0; i < of_a.size(); ++i)
    table.add({std::string(of_a[i].kind->title), figure_text(of_a[i]), figure_text(of_b[i]),
               of_a[i].value && of_b[i].value ? quotient(*of_a[i].value, *of_b[i].value) : "",
               target_text(*of_a[i].kind)});
  const double time_a = profile.all[0].time_us, time_b = profile.all[1].time_us;
  if (time_a > 0 && time_b > 0)
    table.add({"time, of a sweep", time_text(time_a), time_text(time_b), quotient(time_a, time_b), ""});
  return table.text(style);
}

std::string stalls_of_both(const LaunchCounters& a, const LaunchCounters& b, const Style& style) {
  Table table({{"waiting for", false}, {"A"}, {"B"}, {"A, all warps"}, {"B, all warps"}});
  for (const profile::StallPair& pair : profile::stall_pairs(a, b)) {
    if (std::max(pair.a.cycles, pair.b.cycles) < 0.005) continue;
    table.add({pair.reason, cycles_text(pair.a.cycles), cycles_text(pair.b.cycles), millions(pair.a.all_cycles),
               millions(pair.b.all_cycles)});
  }
  if (table.empty()) return {};
  return "\n  cycles of a warp for each instruction that is issued\n" + table.text(style);
}

// "by kind: shared memory 33% (A 7.6 M, B 0.5 M), global memory 20% (...)".
std::string kinds_text(const LaunchCounters& a, const LaunchCounters& b, bool of_all_warps) {
  const auto cycles = [of_all_warps](double value) {
    return of_all_warps ? fmt::format("{:.1f} M", value / 1e6) : fmt::format("{:.2f}", value);
  };
  std::string text;
  for (const profile::KindPair& kind : profile::kind_pairs(a, b))
    if (kind.share >= 0.01)
      text += fmt::format("{}{} {:.0f}% (A {}, B {})", text.empty() ? "by kind: " : ", ", kind.kind, kind.share * 100,
                          cycles(kind.a), cycles(kind.b));
  return text + "\n";
}

std::string verdict(const LaunchCounters& a, const LaunchCounters& b) {
  const auto most = profile::foremost(a, b);
  if (!most) return "no stall reasons were counted\n";
  if (most->share <= 0) return "their warps wait alike\n";
  const profile::StallPair& pair = most->stall;
  const bool of_a = most->of_all_warps ? pair.a.all_cycles > pair.b.all_cycles : pair.a.cycles > pair.b.cycles;
  const auto [less, more] = most->of_all_warps ? std::minmax({pair.a.all_cycles / 1e6, pair.b.all_cycles / 1e6})
                                               : std::minmax({pair.a.cycles, pair.b.cycles});
  const std::string values = most->of_all_warps
                                 ? fmt::format("{:.1f} M cycles of all warps against {:.1f} M", more, less)
                                 : fmt::format("{:.2f} cycles for each instruction against {:.2f}", more, less);
  return fmt::format("differs most: {}, {:.0f}% of all that differs: {} waits longer for {} ({})\n", pair.reason,
                     most->share * 100, of_a ? "A" : "B", profile::waits_for(pair.reason), values) +
         kinds_text(a, b, most->of_all_warps);
}

}  // namespace

std::string comparison_text(const Profile& profile, const Style& style) {
  const Profiled& a = profile.all.at(0);
  const Profiled& b = profile.all.at(1);
  std::string out =
      style.bold(fmt::format("{} {} on {}", profile.problem.kernel, shape_text(profile.problem.dims), profile.gpu)) +
      "\n";
  for (const auto& [name, one] : {std::pair{"A", &a}, {"B", &b}}) {
    const std::string by = one->counters ? "; " + one->counters->profiler : "";
    out += style.text(fmt::format("  {}  {}  ({}{})\n", name, one->config.label(), one->origin, by));
    if (!one->counters) out += style.text("     not counted: " + one->failure + "\n");
  }
  if (!a.counters || !b.counters || a.counters->launches.empty() || b.counters->launches.empty()) return out;
  const LaunchCounters& of_a = a.counters->launches.front();
  const LaunchCounters& of_b = b.counters->launches.front();
  if (a.counters->launches.size() > 1 || b.counters->launches.size() > 1)
    out += style.text("  compared: the first launch of each, " + of_a.entry + " and " + of_b.entry + "\n");
  out += "\n" + figures_of_both(profile, of_a, of_b, style) + stalls_of_both(of_a, of_b, style);
  return out + "\n" + style.text(verdict(of_a, of_b));
}

}  // namespace tuner::report
