// What look-up asks of manifests, answered from a catalog.
#pragma once

#include "spec/catalog.h"
#include "store/lookup.h"

namespace tuner::exporting {

// The catalog must outlive it. A configuration is illegal also where its grid or block cannot be launched; every
// question about an unknown kernel but `dims` throws UserError. Kernels are as this regime launches them; one that has
// not got it, as the plain one does.
store::KernelKnowledge knowledge_of(const spec::Catalog& catalog, const std::string& regime = spec::plain_regime);

}  // namespace tuner::exporting
