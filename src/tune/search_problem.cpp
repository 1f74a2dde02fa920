#include "tune/search_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/json_values.h"
#include "tune/build_candidates.h"
#include "tune/resume.h"
#include "tune/run_alone.h"
#include "tune/search_rounds.h"
#include "tune/verify_all.h"

namespace tuner::tune {
namespace {

// What races in the end: those this near the best of the search, and no more.
constexpr double near_the_best = 1.1;
constexpr std::size_t most_raced = 24;
// Asked for at once, and compiled beside each other. The same everywhere: what a search finds depends on it.
constexpr std::size_t at_once = 8;

// What a program that searches is told of the problem.
std::string about(const Problem& problem, const ProblemContext& context) {
  std::string shape;
  for (const std::int64_t dim : problem.dims) shape += (shape.empty() ? "" : ",") + std::to_string(dim);
  return fmt::format(R"({{"kernel":{},"shape":[{}],"facts":{},"gpu":{},"arch":{}}})", json_string(problem.kernel),
                     shape, to_json(problem.facts), json_string(context.session.gpu().name),
                     json_string(arch_text(context.session.gpu().arch)));
}

class Search {
 public:
  Search(CandidateSet& set, const spec::PlannedProblem& planned, const ProblemContext& context, int winner)
      : set_(set),
        winner_(winner),
        planned_(planned),
        context_(context),
        searching_(*context.searching),
        costs_(planned, context.session.gpu()),
        deadly_(deadly_trials(planned, context)),
        earlier_(context.store.unfinished(context.session.facts, planned.problem, planned.kernel->regime)),
        domain_(domain_of(planned, context.overrules, context.session.gpu())) {
    if (const std::string line = in_flight_line(earlier_); !line.empty()) context.observer.on_warning(line);
    search::ExecOptions exec;
    exec.about = about(planned.problem, context);
    exec.trials = static_cast<std::size_t>(searching_.trials);
    exec.stop = context.stop;
    exec.why_illegal = [&](const Config& config) {
      const auto scope = spec::base_scope(*planned.kernel, planned.problem, context.session.gpu());
      return planned.kernel->space.why_illegal(scope, config).value_or("it is forbidden, or the sweep leaves it out");
    };
    strategy_ = search::make_strategy(searching_.by, *domain_, searching_.seed, exec);
  }

  Searched run() {
    try_from(0);
    tell(0);
    while (!is_over()) {
      const auto left = static_cast<std::size_t>(searching_.trials) - set_.all.size();
      const std::vector<search::Point> points = strategy_->ask(std::min(at_once, left));
      if (points.empty()) break;
      const std::size_t first = set_.all.size();
      for (const search::Point& point : points)
        set_.all.push_back(
            candidate_of(planned_, search::config_of(domain_->axes(), point), set_, context_.session.gpu()));
      try_from(first);
      tell(first);
    }
    if (!context_.session.emulated()) choose_finalists();
    return std::move(done_);
  }

 private:
  bool is_over() const {
    const bool late = searching_.deadline && std::chrono::steady_clock::now() > *searching_.deadline;
    return late || context_.stop() || static_cast<std::int64_t>(set_.all.size()) >= searching_.trials;
  }

  void try_from(std::size_t first) {
    Building building(first, set_, planned_, context_, deadly_);
    building.build_to(set_.all.size());
    done_.refused += building.refused();
    done_.stood += take_over(set_, earlier_, first);
    if (context_.stop()) return;
    verify_from(first, set_, context_.session, context_.store, context_.run, context_.stop, [](auto, auto, int) {});
    if (!context_.session.emulated()) time_from(first);
    note_progress();
  }

  // Everyone right from `first` on, beside the anchor. A lost worker: all alone, who loses it again is charged, and the
  // rounds are repeated, once where nobody is.
  void time_from(std::size_t first) {
    for (int lost = 0; !context_.stop();) {
      std::vector<int> members = right_from(first);
      if (anchor_ < 0 && !members.empty()) anchor_ = first_anchor(members);
      if (members.empty() || anchor_ < 0) return;
      if (const std::string note = costs_.leave_out(set_, members); !note.empty()) done_.notes.push_back(note);
      std::vector<int> all = members;
      all.push_back(anchor_);
      verify_again(all, set_, context_.session, context_.store, context_.run, context_.stop);
      members = right_from(first);
      try {
        time_beside(anchor_, members, best_, set_, context_.session, costs_);
        for (const int index : members) note_ratio(set_.all[static_cast<std::size_t>(index)].ratio);
        return;
      } catch (const worker::WorkerLost& failure) {
        context_.session.bench->lost();
        context_.observer.on_warning(std::string("the worker was lost while timing: ") + failure.what());
        if (run_alone(all, set_, context_) == 0 && ++lost > 1)
          throw MachineError(failure.what(), shape_text(planned_.problem.dims), "run tuner doctor");
      }
    }
  }

  std::vector<int> right_from(std::size_t first) const {
    std::vector<int> right;
    for (std::size_t i = first; i < set_.all.size(); ++i)
      if (set_.all[i].trial.status == Status::verified) right.push_back(static_cast<int>(i));
    return right;
  }

  int first_anchor(const std::vector<int>& members) const {
    for (const int index : members)
      if (set_.all[static_cast<std::size_t>(index)].trial.is_default) return index;
    return members.front();
  }

  void note_ratio(double ratio) {
    if (std::isfinite(ratio)) best_ = std::min(best_, ratio);
  }

  // A duplicate is as good as what it duplicates. On the host device what is right is as good as any other.
  double ratio_of(const Candidate& candidate) const {
    const Candidate& original =
        candidate.original >= 0 ? set_.all[static_cast<std::size_t>(candidate.original)] : candidate;
    if (!context_.session.emulated()) return original.ratio;
    return original.trial.status == Status::verified ? 1 : std::nan("");
  }

  // What was not tried, because a stop came before, is not told.
  void tell(std::size_t first) {
    std::vector<search::Outcome> outcomes;
    for (std::size_t i = first; i < set_.all.size(); ++i) {
      const auto point = search::point_of(domain_->axes(), set_.all[i].trial.config);
      if (point) outcomes.push_back({*point, ratio_of(set_.all[i])});
    }
    if (!outcomes.empty() && !context_.stop()) strategy_->tell(outcomes);
  }

  void note_progress() {
    int rejected = 0;
    for (const Candidate& candidate : set_.all) rejected += candidate.trial.status == Status::rejected ? 1 : 0;
    const double anchor_us = anchor_ < 0 ? 0 : set_.all[static_cast<std::size_t>(anchor_)].trial.time_us;
    const double best_us = costs_.of_times() && std::isfinite(best_) ? best_ * anchor_us : 0;
    context_.observer.on_progress(
        {Phase::search, static_cast<std::int64_t>(set_.all.size()), searching_.trials, rejected, best_us, 0});
  }

  // The default, the winner so far and the pinned one, or what they duplicate.
  bool always_raced(int index) const {
    const auto stands_for = [&](int given) {
      return given >= 0 && (given == index || set_.all[static_cast<std::size_t>(given)].original == index);
    };
    return set_.all[static_cast<std::size_t>(index)].trial.is_default || stands_for(winner_) || stands_for(set_.pinned);
  }

  void choose_finalists() {
    std::vector<int> order;
    for (std::size_t i = 0; i < set_.all.size(); ++i)
      if (set_.all[i].trial.status == Status::verified) order.push_back(static_cast<int>(i));
    const auto ratio = [this](int index) { return set_.all[static_cast<std::size_t>(index)].ratio; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return std::isfinite(ratio(a)) && (!std::isfinite(ratio(b)) || ratio(a) < ratio(b));
    });
    std::vector<int> raced;
    for (const int index : order) {
      const bool near = raced.size() < most_raced && ratio(index) <= near_the_best * best_;
      if (near || always_raced(index)) {
        raced.push_back(index);
        continue;
      }
      Candidate& candidate = set_.all[static_cast<std::size_t>(index)];
      candidate.sampled = true;
      candidate.trial.status = candidate.trial.rounds == 0   ? Status::compiled
                               : candidate.trial.rounds == 1 ? Status::eliminated
                                                             : Status::measured;
    }
    verify_again(raced, set_, context_.session, context_.store, context_.run, context_.stop);
  }

  CandidateSet& set_;
  int winner_;
  const spec::PlannedProblem& planned_;
  const ProblemContext& context_;
  const Searching& searching_;
  Costs costs_;
  std::vector<Trial> deadly_, earlier_;
  std::unique_ptr<search::Domain> domain_;
  std::unique_ptr<search::Strategy> strategy_;
  int anchor_ = -1;
  double best_ = INFINITY;  // ratio
  Searched done_;
};

}  // namespace

Searched search_problem(CandidateSet& set, const spec::PlannedProblem& planned, const ProblemContext& context,
                        int winner) {
  return Search(set, planned, context, winner).run();
}

}  // namespace tuner::tune
