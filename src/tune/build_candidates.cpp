#include "tune/build_candidates.h"

#include <algorithm>
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

Building::Building(std::size_t first, CandidateSet& set, const spec::PlannedProblem& planned,
                   const ProblemContext& context, const std::vector<Trial>& deadly)
    : first_(first), built_(first), set_(set), context_(context) {
  for (std::size_t i = first; i < set.all.size(); ++i) {
    sources_.push_back(
        compile::render(*planned.kernel, set.all[i].trial.config, planned.problem, context.session.gpu()));
    set.all[i].source_hash = sources_.back().hash;
  }
  if (first == 0 && !sources_.empty()) keep_source(sources_.front(), *planned.kernel, context.store);
  refused_ = refuse_killers(set, deadly, first);
  std::vector<compile::Source> wanted;
  for (std::size_t i = first; i < set.all.size(); ++i)
    if (set.all[i].trial.reason == Reason::none) wanted.push_back(sources_[i - first]);
  context.session.builder->start(wanted);
}

std::size_t Building::next(std::size_t from) const {
  return std::min(set_.all.size() - from, context_.session.builder->at_once()) + from;
}

void Building::build_to(std::size_t end) {
  std::vector<compile::Source> wanted;
  for (; built_ < end; ++built_)
    if (set_.all[built_].trial.reason == Reason::none) wanted.push_back(sources_[built_ - first_]);
  context_.session.builder->build(wanted, [&](std::size_t done, std::size_t of) {
    if (context_.searching != nullptr) return;  // a few at a time
    const std::size_t built = end - first_ - of + done;
    context_.observer.on_progress(
        {Phase::compile, static_cast<std::int64_t>(built), static_cast<std::int64_t>(sources_.size()), 0, 0, 0});
  });
  judge_artifacts(set_, end, *context_.session.builder, context_.session.gpu());
}

}  // namespace tuner::tune
