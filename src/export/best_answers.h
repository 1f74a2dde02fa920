// What `best` answers in a regime; where the dependent one has no answer, the plain one's, and why.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spec/catalog.h"
#include "store/lookup.h"

namespace tuner::exporting {

struct BestAnswers {
  std::vector<store::Answer> answers;  // as of Layers::best
  std::vector<std::string> notes;      // of each that is of another regime than was asked
};

// What look-up asks of manifests as this regime launches their kernels.
using KnowledgeOf = std::function<store::KernelKnowledge(const std::string& regime)>;

// Throws as Layers::best.
BestAnswers best_answers(const store::Layers& layers, const spec::Catalog& catalog, const KnowledgeOf& knowledge_of,
                         const store::Query& query, std::vector<const store::Forbid*>& in_the_way);

}  // namespace tuner::exporting
