#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/replay_text.h"

namespace tuner::report {
namespace {

using Json = nlohmann::ordered_json;
using search::quantile_of;
using search::Reached;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json strategy_json(const ReplayedStrategy& strategy) {
  const auto reached =
      std::count_if(strategy.repeats.begin(), strategy.repeats.end(), [](const Reached& one) { return one.reached; });
  Json json{{"strategy", strategy.name}, {"reached", reached}};
  json["trials_median"] = number_or_null(quantile_of(strategy.repeats, &Reached::trials, 0.5));
  json["trials_p90"] = number_or_null(quantile_of(strategy.repeats, &Reached::trials, 0.9));
  json["seconds_median"] = number_or_null(quantile_of(strategy.repeats, &Reached::seconds, 0.5));
  json["seconds_p90"] = number_or_null(quantile_of(strategy.repeats, &Reached::seconds, 0.9));
  return json;
}

}  // namespace

std::string replay_json(const ReplayedSweeps& sweeps) {
  Json json{{"schema", 1},
            {"within", sweeps.options.within},
            {"repeats", sweeps.options.repeats},
            {"seed", sweeps.options.seed},
            {"at_once", sweeps.options.at_once},
            {"recordings", Json::array()},
            {"over_random", Json::array()}};
  for (const ReplayedRecording& recording : sweeps.recordings) {
    Json one{{"name", recording.name},
             {"about", recording.about},
             {"configurations", recording.points},
             {"good_enough", recording.good_enough},
             {"strategies", Json::array()}};
    for (const ReplayedStrategy& strategy : recording.strategies) one["strategies"].push_back(strategy_json(strategy));
    json["recordings"].push_back(std::move(one));
  }
  for (std::size_t i = 0; !sweeps.recordings.empty() && i < sweeps.recordings.front().strategies.size(); ++i)
    json["over_random"].push_back({{"strategy", sweeps.recordings.front().strategies[i].name},
                                   {"median", number_or_null(over_random(sweeps, i, 0.5))},
                                   {"p90", number_or_null(over_random(sweeps, i, 0.9))}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
