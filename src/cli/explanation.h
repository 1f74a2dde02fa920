// All that is known of a stored trial, gathered for `explain`.
#pragma once

#include <vector>

#include "report/explain_text.h"
#include "spec/catalog.h"
#include "store/lookup.h"
#include "store/store.h"

namespace tuner::cli {

// Occupancy, waves and bytes in flight where registers, the launch and the GPU are known; needs no GPU.
void add_launch_facts(report::Explanation& explanation, const spec::Catalog& catalog);

report::Explanation explanation_of(const store::Store& store, const spec::Catalog& catalog, const Trial& trial);
// Of a results file: `trial` is one of the entry's.
report::Explanation explanation_of(const store::Entry& entry, const spec::Catalog& catalog, const Trial& trial);

}  // namespace tuner::cli
