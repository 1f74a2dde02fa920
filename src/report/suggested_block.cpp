#include "report/suggested_block.h"

#include <fmt/format.h>

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

}  // namespace tuner::report
