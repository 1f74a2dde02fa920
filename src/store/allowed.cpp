#include "store/allowed.h"

#include <algorithm>

#include "store/ladder.h"
#include "store/results_file.h"

namespace tuner::store {

std::optional<Entry> allowed_part(const Entry& entry, const std::vector<Forbid>& forbids) {
  Entry part = entry;
  const auto gone = [&](const Trial& trial) {
    return forbid_of(forbids, entry.result.problem.kernel, entry.gpu, trial.config) != nullptr;
  };
  part.trials.erase(std::remove_if(part.trials.begin(), part.trials.end(), gone), part.trials.end());
  if (part.trials.size() == entry.trials.size()) return part;
  const auto lacks = [&part](std::int64_t id) {
    return std::none_of(part.trials.begin(), part.trials.end(), [id](const Trial& trial) { return trial.id == id; });
  };
  // A duplicate has no time of its own.
  const auto orphan = [&](const Trial& trial) { return trial.duplicate_of != 0 && lacks(trial.duplicate_of); };
  std::vector<Trial> kept;
  for (const Trial& trial : part.trials)
    if (!orphan(trial)) kept.push_back(trial);
  part.trials = std::move(kept);
  ProblemResult& row = part.result;
  if (lacks(row.default_trial)) row.default_trial = 0;
  if (lacks(row.incumbent)) row.incumbent = 0;
  row.tied = tied_by_rule(part);
  if (row.tied.empty()) return std::nullopt;
  if (lacks(row.traveller)) {
    row.traveller = 0;
    row.loss_neighbours = 0;
    row.expected_loss = row.default_loss = row.worst_loss = -1;
  }
  row.winner = row.tied.front();
  return part;
}

}  // namespace tuner::store
