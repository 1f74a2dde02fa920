#include "report/replay_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/format.h"
#include "report/table.h"

namespace tuner::report {
namespace {

using search::quantile_of;
using search::Reached;

constexpr double middle = 0.5, tail = 0.9;

const ReplayedStrategy* random_of(const ReplayedRecording& recording) {
  for (const ReplayedStrategy& strategy : recording.strategies)
    if (strategy.name == "random") return &strategy;
  return nullptr;
}

// Of one strategy to random on the same recording.
double ratio(const ReplayedRecording& recording, const ReplayedStrategy& strategy, double quantile) {
  const ReplayedStrategy* random = random_of(recording);
  if (random == nullptr) return std::nan("");
  const double ratio = quantile_of(strategy.repeats, &Reached::trials, quantile) /
                       quantile_of(random->repeats, &Reached::trials, quantile);
  return std::isfinite(ratio) ? ratio : std::nan("");
}

std::string number(double value, const char* format) {
  if (std::isnan(value)) return "";
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "never";
}

std::string reached_share(const ReplayedStrategy& strategy) {
  const auto count =
      std::count_if(strategy.repeats.begin(), strategy.repeats.end(), [](const Reached& one) { return one.reached; });
  return percent(static_cast<double>(count) / static_cast<double>(strategy.repeats.size()));
}

Table table_of(const ReplayedRecording& recording) {
  Table table({{"strategy", false}, {"reached"}, {"trials"}, {"p90"}, {"x random"}, {"p90"}, {"time"}, {"p90"}});
  const bool timed =
      std::any_of(recording.strategies.begin(), recording.strategies.end(), [](const ReplayedStrategy& strategy) {
        return !strategy.repeats.empty() && strategy.repeats.front().seconds > 0;
      });
  for (const ReplayedStrategy& strategy : recording.strategies) {
    const auto trials = [&](double q) { return number(quantile_of(strategy.repeats, &Reached::trials, q), "{:.0f}"); };
    const auto seconds = [&](double q) {
      const double s = quantile_of(strategy.repeats, &Reached::seconds, q);
      return !timed ? std::string() : std::isfinite(s) ? duration(s) : "never";
    };
    table.add({strategy.name, reached_share(strategy), trials(middle), trials(tail),
               number(ratio(recording, strategy, middle), "{:.2f}"), number(ratio(recording, strategy, tail), "{:.2f}"),
               seconds(middle), seconds(tail)});
  }
  return table;
}

std::string summary(const ReplayedSweeps& sweeps, const Style& style) {
  if (sweeps.recordings.size() < 2 || random_of(sweeps.recordings.front()) == nullptr) return {};
  Table table({{"strategy", false}, {"x random"}, {"p90"}, {"at most"}, {"p90"}});
  const auto& strategies = sweeps.recordings.front().strategies;
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    const auto most = [&](double q) {
      double largest = 0;
      for (const ReplayedRecording& recording : sweeps.recordings) {
        const double one = ratio(recording, recording.strategies[i], q);
        largest = std::isnan(one) || std::isnan(largest) ? std::nan("") : std::max(largest, one);
      }
      return number(largest, "{:.2f}");
    };
    table.add({strategies[i].name, number(over_random(sweeps, i, middle), "{:.2f}"),
               number(over_random(sweeps, i, tail), "{:.2f}"), most(middle), most(tail)});
  }
  return "\n" + style.bold(fmt::format("all {}", sweeps.recordings.size())) +
         style.text(": trials over random's, the geometric mean and the most\n") + table.text(style);
}

}  // namespace

double over_random(const ReplayedSweeps& sweeps, std::size_t strategy, double quantile) {
  double logs = 0;
  for (const ReplayedRecording& recording : sweeps.recordings)
    logs += std::log(ratio(recording, recording.strategies[strategy], quantile));
  return std::exp(logs / static_cast<double>(sweeps.recordings.size()));
}

std::string replay_text(const ReplayedSweeps& sweeps, const Style& style) {
  std::string text;
  for (const ReplayedRecording& recording : sweeps.recordings) {
    text += (text.empty() ? "" : "\n") + style.bold(recording.name);
    text += style.text(fmt::format(": {}{} configurations, {} within {} of the best\n",
                                   recording.about.empty() ? "" : recording.about + ", ", recording.points,
                                   recording.good_enough, percent(sweeps.options.within)));
    text += table_of(recording).text(style);
    if (!recording.notes.empty()) text += style.dim("  " + recording.notes) + "\n";
  }
  text += summary(sweeps, style);
  return text +
         style.dim(fmt::format("  trials and their time, one after the other, until one is within {} of the best: "
                               "median and 90th percentile of {}",
                               percent(sweeps.options.within), count(sweeps.options.repeats, "search", "searches"))) +
         "\n";
}

}  // namespace tuner::report
