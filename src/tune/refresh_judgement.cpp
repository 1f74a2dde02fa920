#include "tune/refresh_judgement.h"

#include <fmt/format.h>

#include <algorithm>

namespace tuner::tune {
namespace {

Refreshed begun(const StoredRow& row) {
  Refreshed refreshed;
  refreshed.row = &row;
  const ProblemResult& before = row.entry->result;
  for (const Trial& trial : row.entry->trials)
    if (trial.id == before.winner && !row.entry->emulated) {
      refreshed.before_us = trial.time_us;
      refreshed.config = trial.config;
    }
  return refreshed;
}

const Trial* with_id(const std::vector<Trial>& trials, std::int64_t id) {
  const auto found = std::find_if(trials.begin(), trials.end(), [id](const Trial& trial) { return trial.id == id; });
  return found == trials.end() || id == 0 ? nullptr : &*found;
}

// The trial that ran for this configuration: its own, or what it duplicates. Null where there is none.
const Trial* ran_for(const Config& config, const std::vector<Trial>& trials) {
  for (const Trial& trial : trials)
    if (trial.config == config) return trial.status == Status::duplicate ? with_id(trials, trial.duplicate_of) : &trial;
  return nullptr;
}

std::string rejection(const Trial& trial) {
  return std::string(title(trial.reason)) + (trial.detail.empty() ? "" : ": " + trial.detail);
}

Refreshed judged_emulated(const StoredRow& row, const ProblemDone& done) {
  Refreshed refreshed = begun(row);
  int rejected = 0;
  for (const Trial& tie : row.ties) {
    const Trial* ran = ran_for(tie.config, done.trials);
    if (ran == nullptr || ran->status != Status::verified) {
      if (++rejected == 1)
        refreshed.why = tie.config.label() + ": " + (ran == nullptr ? "it did not run" : rejection(*ran));
      continue;
    }
    if (++refreshed.verified == 1) refreshed.config = tie.config;
  }
  if (rejected == 0)
    refreshed.outcome = RefreshOutcome::confirmed;
  else
    refreshed.why = fmt::format("{} of {} not right any more: {}", rejected, row.ties.size(), refreshed.why);
  return refreshed;
}

// The first of what was tied that is tied with the best of now; null where there is none.
const Trial* first_tied(const StoredRow& row, const ProblemDone& done) {
  const auto& tied = done.result.tied;
  for (const Trial& tie : row.ties) {
    const Trial* ran = ran_for(tie.config, done.trials);
    if (ran != nullptr && std::find(tied.begin(), tied.end(), ran->id) != tied.end()) return ran;
  }
  return nullptr;
}

// Of the winner of before, against that of now.
std::string why_not_first(const Trial& first, const Trial& winner, double margin) {
  if (first.status == Status::rejected) return rejection(first);
  const double behind = winner.time_us > 0 ? first.time_us / winner.time_us - 1 : 0;
  return behind > margin ? fmt::format("the winner is {:.1f} % slower", 100 * behind) : "";
}

}  // namespace

std::string_view to_text(RefreshOutcome outcome) {
  switch (outcome) {
    case RefreshOutcome::same_binary:
      return "same_binary";
    case RefreshOutcome::confirmed:
      return "confirmed";
    case RefreshOutcome::another:
      return "another";
    case RefreshOutcome::unconfirmed:
      return "unconfirmed";
  }
  return "unconfirmed";
}

Refreshed same_binary(const StoredRow& row) {
  Refreshed refreshed = begun(row);
  refreshed.outcome = RefreshOutcome::same_binary;
  if (row.entry->emulated) refreshed.config = row.ties.front().config;
  return refreshed;
}

Refreshed unconfirmed(const StoredRow& row, const std::string& why) {
  Refreshed refreshed = begun(row);
  refreshed.why = why;
  return refreshed;
}

Refreshed judged(const StoredRow& row, const ProblemDone& done, bool emulated) {
  if (emulated) return judged_emulated(row, done);
  Refreshed refreshed = begun(row);
  const Trial* winner = with_id(done.trials, done.result.winner);
  const Trial* first = ran_for(row.ties.front().config, done.trials);
  if (winner == nullptr) {
    refreshed.why = first == nullptr ? "nothing is right any more" : rejection(*first);
    return refreshed;
  }
  const bool was_first = row.ties.front().config == refreshed.config;
  refreshed.config = winner == first ? row.ties.front().config : winner->config;
  refreshed.time_us = winner->time_us;
  if (winner == first && was_first) {
    refreshed.outcome = RefreshOutcome::confirmed;
    return refreshed;
  }
  if (first != nullptr) refreshed.why = why_not_first(*first, *winner, done.result.margin);
  if (first_tied(row, done) != nullptr) {
    refreshed.outcome = RefreshOutcome::another;
    return refreshed;
  }
  const std::string who = winner->is_default          ? "the default"
                          : done.pinned == winner->id ? "the pinned configuration"
                                                      : "what answers for neighbours";
  refreshed.why = who + " is better" + (refreshed.why.empty() ? "" : ": " + refreshed.why);
  return refreshed;
}

}  // namespace tuner::tune
