#include "tune/build_candidates.h"

#include <fstream>
#include <sstream>

#include "core/hash.h"
#include "tune/resume.h"

namespace tuner::tune {
namespace {

// Template and headers, once by hash: with the manifest and a trial's parameters its source can be rendered again.
void keep_source(const compile::Source& source, const spec::KernelSpec& kernel, store::Store& store) {
  std::ifstream file(kernel.source_path);
  std::stringstream text;
  text << file.rdbuf();
  store.keep_text(content_hash(text.str()), "template", source.name, text.str());
  for (const auto& header : source.headers)
    store.keep_text(content_hash(header.text), "header", header.name, header.text);
}

}  // namespace

int build_candidates(std::size_t first, CandidateSet& set, const spec::PlannedProblem& planned,
                     const ProblemContext& context, const std::vector<Trial>& deadly) {
  if (first == set.all.size()) return 0;
  std::vector<compile::Source> sources;
  for (std::size_t i = first; i < set.all.size(); ++i) {
    sources.push_back(
        compile::render(*planned.kernel, set.all[i].trial.config, planned.problem, context.session.gpu()));
    set.all[i].source_hash = sources.back().hash;
  }
  if (first == 0) keep_source(sources.front(), *planned.kernel, context.store);
  const int refused = refuse_killers(set, deadly, first);
  std::vector<compile::Source> wanted;
  for (std::size_t i = first; i < set.all.size(); ++i)
    if (set.all[i].trial.reason == Reason::none) wanted.push_back(sources[i - first]);
  context.session.builder->build(wanted, [&](std::size_t done, std::size_t of) {
    if (context.searching != nullptr) return;  // a few at a time
    context.observer.on_progress(
        {Phase::compile, static_cast<std::int64_t>(done), static_cast<std::int64_t>(of), 0, 0, 0});
  });
  judge_artifacts(set, *context.session.builder, context.session.gpu());
  return refused;
}

}  // namespace tuner::tune
