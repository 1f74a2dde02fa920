// What the counters of one launch mean: figures, what they should be, and where its warps wait.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters.h"

namespace tuner::profile {

enum class Unit { share, ratio, bytes };

// What a figure should be. The value itself is as good, and of what should not be at all, 10 % is:
// arbitration counts as conflicts too, and the rules of ncu begin there.
struct Target {
  enum class Kind { above, at_most } kind;
  double value;
};

struct FigureKind {
  std::string_view key;    // "dram_throughput"
  std::string_view title;  // "DRAM throughput"
  std::string_view brief;  // "DRAM", for a column
  Unit unit;
  std::optional<Target> target;
};

// Those of every launch, in the order they are shown.
const std::vector<FigureKind>& figure_kinds();

struct Figure {
  const FigureKind* kind = nullptr;
  std::optional<double> value;  // a share, a ratio or bytes
  std::string absent;           // why there is no value
  bool misses() const;          // its target
};

// One for each kind.
std::vector<Figure> figures_of(const LaunchCounters& launch);
std::optional<double> figure(const LaunchCounters& launch, std::string_view key);

// That all warps issued; 0: not counted.
double instructions(const LaunchCounters& launch);

// A state that warps were in while they issued nothing.
struct Stall {
  std::string reason;     // "barrier"
  double cycles = 0;      // of a warp, for each instruction that is issued
  double all_cycles = 0;  // of all warps together; 0: the instructions were not counted
  double share = 0;       // of all cycles of a warp, those in which it issues among them
};

// The longest first; those without a cycle are left out, and so is issuing itself.
std::vector<Stall> stalls_of(const LaunchCounters& launch);
// What a warp in this state waits for: "the other warps of its block, at a barrier".
std::string_view waits_for(std::string_view reason);
// What kind of thing that is: "shared memory".
std::string_view kind_of(std::string_view reason);

// What a figure usually means where it misses its target, a sentence each; `key` is empty for what no single figure
// says.
struct Advice {
  std::string key;
  std::string text;
};
std::vector<Advice> advice_of(const LaunchCounters& launch);

}  // namespace tuner::profile
