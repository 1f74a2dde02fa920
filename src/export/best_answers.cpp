#include "export/best_answers.h"

#include <algorithm>

#include "core/problem.h"
#include "store/gpu_choice.h"

namespace tuner::exporting {
namespace {

bool can_overlap(const GpuFacts& gpu) { return gpu.arch == 0 || gpu.arch >= spec::least_dependent_arch; }

// A default alone is no answer of a regime in which nothing was tuned.
bool is_of_regime(const store::Answer& answer, const spec::Catalog& catalog) {
  const spec::KernelSpec* kernel = catalog.find(answer.problem.kernel);
  if (kernel == nullptr || !kernel->in_dependent || !can_overlap(answer.gpu)) return false;
  return answer.match != store::Match::by_default || answer.passed != nullptr;
}

std::string why_not(const store::Answer& plain, const spec::Catalog& catalog, const std::string& regime) {
  if (!can_overlap(plain.gpu))
    return plain.gpu.name + " (" + arch_text(plain.gpu.arch) + ") has no programmatic dependent launch";
  const spec::KernelSpec* kernel = catalog.find(plain.problem.kernel);
  if (kernel != nullptr && !kernel->in_dependent)
    return "'" + plain.problem.kernel + "' has no regime '" + regime + "'";
  return "nothing like it was tuned in the regime '" + regime + "'";
}

std::string note_of(const store::Answer& plain, const spec::Catalog& catalog, const std::string& regime) {
  std::string text = plain.problem.kernel + " " + shape_text(plain.problem.dims);
  if (!plain.gpu.name.empty()) text += " on " + plain.gpu.name;
  return text + ": " + why_not(plain, catalog, regime) + "; this is the answer of 'plain'";
}

}  // namespace

BestAnswers best_answers(const store::Layers& layers, const spec::Catalog& catalog, const KnowledgeOf& knowledge_of,
                         const store::Query& query, std::vector<const store::Forbid*>& in_the_way) {
  BestAnswers best;
  if (query.regime == spec::plain_regime) {
    best.answers = layers.best(query, knowledge_of(spec::plain_regime), &in_the_way);
    return best;
  }
  std::vector<const store::Forbid*> ignored;
  best.answers = layers.best(query, knowledge_of(query.regime), &ignored);
  std::erase_if(best.answers, [&](const store::Answer& answer) { return !is_of_regime(answer, catalog); });
  store::Query plain = query;
  plain.regime = spec::plain_regime;
  const std::size_t own = best.answers.size();
  for (store::Answer& answer : layers.best(plain, knowledge_of(spec::plain_regime), &in_the_way)) {
    const auto same = [&](const store::Answer& other) {
      return other.problem.kernel == answer.problem.kernel && store::gpu_key(other.gpu) == store::gpu_key(answer.gpu);
    };
    if (std::any_of(best.answers.begin(), best.answers.begin() + static_cast<std::ptrdiff_t>(own), same)) continue;
    std::string note = note_of(answer, catalog, query.regime);
    if (best.notes.empty() || best.notes.back() != note) best.notes.push_back(std::move(note));
    best.answers.push_back(std::move(answer));
  }
  return best;
}

}  // namespace tuner::exporting
