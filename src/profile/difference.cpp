#include "profile/difference.h"

#include <algorithm>
#include <cmath>

namespace tuner::profile {
namespace {

bool counts_all(const std::vector<Stall>& stalls) {
  return std::all_of(stalls.begin(), stalls.end(), [](const Stall& stall) { return stall.all_cycles > 0; });
}

Stall found(const std::vector<Stall>& stalls, const std::string& reason) {
  for (const Stall& stall : stalls)
    if (stall.reason == reason) return stall;
  return {reason, 0, 0, 0};
}

bool by_all_warps(const LaunchCounters& a, const LaunchCounters& b) {
  return counts_all(stalls_of(a)) && counts_all(stalls_of(b));
}

double distance(const StallPair& pair, bool of_all) {
  return of_all ? std::abs(pair.a.all_cycles - pair.b.all_cycles) : std::abs(pair.a.cycles - pair.b.cycles);
}

}  // namespace

std::vector<StallPair> stall_pairs(const LaunchCounters& a, const LaunchCounters& b) {
  const std::vector<Stall> of_a = stalls_of(a), of_b = stalls_of(b);
  std::vector<StallPair> pairs;
  for (const Stall& stall : of_a) pairs.push_back({stall.reason, stall, found(of_b, stall.reason)});
  for (const Stall& stall : of_b)
    if (found(of_a, stall.reason).cycles == 0) pairs.push_back({stall.reason, found({}, stall.reason), stall});
  const bool of_all = by_all_warps(a, b);
  std::stable_sort(pairs.begin(), pairs.end(), [of_all](const StallPair& left, const StallPair& right) {
    return distance(left, of_all) > distance(right, of_all);
  });
  return pairs;
}

std::vector<KindPair> kind_pairs(const LaunchCounters& a, const LaunchCounters& b) {
  const bool of_all = by_all_warps(a, b);
  std::vector<KindPair> kinds;
  for (const StallPair& pair : stall_pairs(a, b)) {
    const std::string_view kind = kind_of(pair.reason);
    auto at = std::find_if(kinds.begin(), kinds.end(), [kind](const KindPair& known) { return known.kind == kind; });
    if (at == kinds.end()) at = kinds.insert(kinds.end(), {kind, 0, 0, 0});
    at->a += of_all ? pair.a.all_cycles : pair.a.cycles;
    at->b += of_all ? pair.b.all_cycles : pair.b.cycles;
  }
  double all = 0;
  for (const KindPair& kind : kinds) all += std::abs(kind.a - kind.b);
  for (KindPair& kind : kinds) kind.share = all > 0 ? std::abs(kind.a - kind.b) / all : 0;
  std::stable_sort(kinds.begin(), kinds.end(), [](const KindPair& x, const KindPair& y) { return x.share > y.share; });
  return kinds;
}

std::optional<Foremost> foremost(const LaunchCounters& a, const LaunchCounters& b) {
  const std::vector<StallPair> pairs = stall_pairs(a, b);
  if (pairs.empty()) return std::nullopt;
  const bool of_all = by_all_warps(a, b);
  double all = 0;
  for (const StallPair& pair : pairs) all += distance(pair, of_all);
  return Foremost{pairs.front(), all > 0 ? distance(pairs.front(), of_all) / all : 0, of_all};
}

}  // namespace tuner::profile
