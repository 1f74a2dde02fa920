// Stored results that do not hold for what is here now, and what of each is looked at again.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spec/catalog.h"
#include "store/lookup.h"
#include "tune/overrules.h"

namespace tuner::tune {

// A result that answers on this GPU. What it points at must outlive it.
struct StoredRow {
  const store::Entry* entry = nullptr;
  const spec::KernelSpec* kernel = nullptr;  // in the regime of the row
  store::KernelHashes now{};                 // of that kernel; empty where its source cannot be read
  std::string state{};                       // as of store/state.h
  std::vector<std::string> changed{};
  std::vector<Trial> ties{};  // the winner first; legal and allowed. Of a device without times: what was right
  // Of the default, what answers neighbours and what is pinned those that are none of the ties; legal and allowed.
  std::vector<Config> beside{};
  std::string why_not{};  // nothing can be confirmed, and why; else empty
};

struct RefreshQuestion {
  GpuFacts gpu;
  bool emulated = false;
  std::function<std::string(const spec::KernelSpec&)> compiler;     // that would compile it: "13.0.88", "nvcc 13.0.88"
  std::vector<std::string> kernels{};                               // empty: all
  std::vector<std::vector<std::int64_t>> shapes{};                  // empty: all
  std::string regime{};                                             // empty: both
  bool again = false;                                               // those that are current as well
  std::function<std::vector<Trial>(const store::Entry&)> trials{};  // all of a row of the host device
};

struct RefreshPlan {
  std::vector<StoredRow> rows;  // the least recently tuned first
  int known = 0;                // that were asked about, current or not
  int unknown = 0;              // that no kernel of the catalog answers for
};

// Of each problem and regime the row that a look-up answers exactly with; ceilings are no problems. `entries` are
// whole.
RefreshPlan plan_refresh(const std::vector<store::Entry>& entries, const spec::Catalog& catalog,
                         const Overrules& overrules, const RefreshQuestion& question);

}  // namespace tuner::tune
