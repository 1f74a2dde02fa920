#include "report/suggested_block.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/format.h"

namespace tuner::report {

std::string suggestion_text(const SuggestedBlock& suggested) {
  std::string text = fmt::format("the occupancy API would suggest {}={} ({:.0f}% occupancy)", suggested.param,
                                 suggested.threads, 100 * suggested.occupancy);
  if (suggested.is_best) return text + ", as the best has it";
  if (!suggested.trial) return text + ", which is not among the trials that are kept";
  const Trial& trial = *suggested.trial;
  if (trial.status == Status::rejected) return text + ": rejected, " + std::string(title(trial.reason));
  if (trial.time_us <= 0) return text + ", which was not timed";
  text += ": " + time_text(trial.time_us);
  return text + (suggested.slower < 0 ? ", no slower than the best"
                                      : fmt::format(", {:.1f}% slower than the best", 100 * suggested.slower));
}

std::string suggestion_json(const std::optional<SuggestedBlock>& suggested) {
  using Json = nlohmann::ordered_json;
  if (!suggested) return "null";
  const bool timed = suggested->trial && suggested->trial->time_us > 0;
  Json json{{"params", Json::parse(to_json(suggested->config))},
            {"occupancy", suggested->occupancy},
            {"is_winner", suggested->is_best}};
  json["trial"] = suggested->trial ? Json(suggested->trial->id) : Json(nullptr);
  json["time_us"] = timed ? Json(suggested->trial->time_us) : Json(nullptr);
  json["slower_than_winner"] = timed ? Json(suggested->slower) : Json(nullptr);
  return json.dump();
}

}  // namespace tuner::report
