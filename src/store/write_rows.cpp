#include "store/write_rows.h"

#include <cmath>

#include "core/hash.h"
#include "store/rows.h"

namespace tuner::store {
namespace {

// A REAL column takes no NaN (SQLite makes it null) and 0 means "not known": both become null.
void bind_real(Statement& statement, int at, double value) {
  if (value == 0 || !std::isfinite(value)) {
    statement.bind_null(at);
  } else {
    statement.bind(at, value);
  }
}

void bind_trial(Statement& s, Connection& db, std::int64_t run, const Trial& trial) {
  s.bind(1, run).bind(3, trial.regime).bind(4, to_json(trial.config)).bind(6, to_text(trial.status));
  if (trial.reason == Reason::none) {
    s.bind_null(7);
  } else {
    s.bind(7, to_text(trial.reason));
  }
  s.bind_or_null(8, trial.detail);
  s.bind_id(9, trial.log.empty() ? 0 : text_row(db, content_hash(trial.log), "log", "", trial.log));
  bind_hash(s, 10, trial.source_hash);
  bind_hash(s, 11, trial.cubin_hash);
  s.bind_id(12, trial.duplicate_of);
  s.bind(13, std::int64_t{trial.registers})
      .bind(14, std::int64_t{trial.spill_bytes})
      .bind(15, trial.static_shared_bytes);
  if (trial.samples_us.empty()) {
    s.bind_null(16);
  } else {
    s.bind_blob(16, pack_samples(trial.samples_us));
  }
  bind_real(s, 17, trial.time_us);
  bind_real(s, 18, trial.spread);
  bind_real(s, 19, trial.max_err_over_bound);
  bind_real(s, 20, trial.max_rel_err);
  s.bind(21, std::int64_t{trial.exact_only}).bind(22, std::int64_t{trial.finalist});
  s.bind(23, std::int64_t{trial.is_default}).bind(24, std::int64_t{trial.deterministic});
  bind_real(s, 25, trial.cost);
  bind_real(s, 26, trial.seconds);
}

constexpr std::string_view insert_trial =
    "INSERT INTO trials (run, problem, regime, params, execution, status, reason, detail, log, source_hash, cubin_hash,"
    " duplicate_of, registers, spill_bytes, static_shared_bytes, samples, time_us, spread, max_err_over_bound,"
    " max_rel_err, exact_only, finalist, is_default, deterministic, cost, seconds)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr std::string_view update_trial =
    "UPDATE trials SET run = ?, problem = ?, regime = ?, params = ?, execution = ?, status = ?, reason = ?, detail = ?,"
    " log = ?, source_hash = ?, cubin_hash = ?, duplicate_of = ?, registers = ?, spill_bytes = ?,"
    " static_shared_bytes = ?, samples = ?, time_us = ?, spread = ?, max_err_over_bound = ?, max_rel_err = ?,"
    " exact_only = ?, finalist = ?, is_default = ?, deterministic = ?, cost = ?, seconds = ? WHERE id = ?";

void bind_result(Statement& s, std::int64_t run, std::int64_t problem, const ProblemResult& result) {
  s.bind(1, run).bind(2, problem).bind(3, result.regime);
  s.bind_id(4, result.winner).bind_id(5, result.default_trial);
  s.bind(6, ids_to_json(result.tied));
  s.bind(8, result.margin).bind(9, result.noise_floor);
  s.bind(10, to_json(result.ceiling)).bind(11, to_json(result.baselines));
  s.bind(12, to_json(result.before)).bind(13, to_json(result.after));
  s.bind(14, result.bytes_read).bind(15, result.bytes_written).bind(16, result.flops).bind(17, result.bound_by);
  s.bind(18, std::int64_t{result.candidates})
      .bind(19, std::int64_t{result.measured})
      .bind(20, std::int64_t{result.rejected});
  s.bind_id(22, result.incumbent);
  const double losses[] = {result.expected_loss, result.default_loss, result.worst_loss};
  for (int i = 0; i < 3; ++i) {
    if (losses[i] < 0) {
      s.bind_null(23 + i);
    } else {
      s.bind(23 + i, losses[i]);
    }
  }
  bind_hash(s, 26, result.closure_hash);
  bind_hash(s, 27, result.manifest_hash);
  s.bind_id(28, result.traveller).bind(29, std::int64_t{result.loss_neighbours});
  s.bind_or_null(30, result.objective);
  s.bind_or_null(31, result.search);
}

constexpr std::string_view upsert_result =
    "INSERT OR REPLACE INTO results (run, problem, regime, winner, default_trial, tied, shown, margin, noise_floor,"
    " ceiling, baselines, before, after, bytes_read, bytes_written, flops, bound_by, candidates, measured, rejected,"
    " saved_at, incumbent, expected_loss, default_loss, worst_loss, closure_hash, manifest_hash, traveller,"
    " loss_neighbours, objective, search)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

}  // namespace

TrialWriter::TrialWriter(Connection& db)
    : db_(db), insert_(db.prepare(insert_trial)), update_(db.prepare(update_trial)) {}

std::int64_t TrialWriter::write(std::int64_t run, const Trial& trial) {
  Statement& statement = trial.id == 0 ? insert_ : update_;
  if (problem_row_ == 0 || trial.problem != problem_) {
    problem_ = trial.problem;
    problem_row_ = problem_row(db_, problem_);
  }
  const auto [execution, fresh] = execution_rows_.try_emplace(to_json(trial.steps));
  if (fresh) execution->second = execution_row(db_, trial.steps);
  bind_trial(statement, db_, run, trial);
  statement.bind(2, problem_row_).bind_id(5, execution->second);
  if (trial.id != 0) statement.bind(27, trial.id);
  statement.run();
  return trial.id == 0 ? db_.last_id() : trial.id;
}

std::int64_t write_run(Connection& db, const RunRecord& record, const std::string& process) {
  const RunFacts& facts = record.facts;
  db.prepare(
        "INSERT INTO runs (gpu, device, facts, driver, nvrtc, tool_version, policy, command, emulated, shared_gpu,"
        " process, started_at, finished_at, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(1, gpu_row(db, facts.gpu))
      .bind(2, facts.device)
      .bind(3, tuner::to_json(facts.gpu))
      .bind(4, facts.gpu.driver)
      .bind(5, facts.nvrtc)
      .bind(6, facts.tool_version)
      .bind(7, std::int64_t{facts.policy})
      .bind(8, facts.command)
      .bind(9, std::int64_t{facts.emulated})
      .bind(10, std::int64_t{facts.shared_gpu})
      .bind(11, process)
      .bind(12, record.started_at)
      .bind_or_null(13, record.finished_at)
      .bind_or_null(14, record.outcome)
      .run();
  return db.last_id();
}

void write_result(Connection& db, std::int64_t run, const ProblemResult& result, const std::vector<std::int64_t>& shown,
                  const std::string& saved_at) {
  auto insert = db.prepare(upsert_result);
  bind_result(insert, run, problem_row(db, result.problem), result);
  insert.bind(7, ids_to_json(shown)).bind(21, saved_at);
  insert.run();
}

}  // namespace tuner::store
