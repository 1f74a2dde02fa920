// Between the words of core/trial.h and rows of the database.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/trial.h"
#include "store/sqlite.h"
#include "store/store.h"

namespace tuner::store {

// 16 bytes for 32 lower-case hexadecimal digits, the text itself for anything else, null for none.
void bind_hash(Statement& statement, int at, std::string_view hash);
std::string read_hash(const Statement& statement, int column);

std::string pack_samples(const std::vector<float>& samples);
std::vector<float> unpack_samples(std::string_view bytes);

std::string to_json(const Ceiling& ceiling);
Ceiling ceiling_from_json(std::string_view text);
std::string to_json(const std::vector<Baseline>& baselines);
std::vector<Baseline> baselines_from_json(std::string_view text);
std::string ids_to_json(const std::vector<std::int64_t>& ids);
std::vector<std::int64_t> ids_from_json(std::string_view text);

// Rows are found or made; every function runs inside the caller's transaction.
std::int64_t gpu_row(Connection& db, const GpuFacts& gpu);
std::int64_t problem_row(Connection& db, const Problem& problem);
std::int64_t execution_row(Connection& db, const std::vector<Step>& steps);  // 0 for none
std::int64_t text_row(Connection& db, std::string_view hash, std::string_view kind, std::string_view name,
                      std::string_view body);

// 0 when there is none.
std::int64_t find_gpu(Connection& db, const GpuFacts& gpu);
std::int64_t find_problem(Connection& db, const Problem& problem);

// What read_trial expects, in its order; joined as `trials t`, `problems p`, executions and texts.
inline constexpr std::string_view select_trials =
    "SELECT t.id, p.kernel, p.shape, p.facts, t.regime, t.params, e.steps, t.status, t.reason, t.detail, l.body,"
    " t.source_hash, t.cubin_hash, t.duplicate_of, t.registers, t.spill_bytes, t.static_shared_bytes, t.samples,"
    " t.time_us, t.spread, t.max_err_over_bound, t.max_rel_err, t.exact_only, t.finalist, t.is_default,"
    " t.deterministic, t.cost, t.seconds"
    " FROM trials t JOIN problems p ON p.id = t.problem LEFT JOIN executions e ON e.id = t.execution"
    " LEFT JOIN texts l ON l.id = t.log ";
// Launches that were read before, by their text: many trials share one.
using KnownSteps = std::map<std::string, std::vector<Step>>;
const std::vector<Step>& steps_of(const std::string& text, KnownSteps& known);

Trial read_trial(const Statement& row);
Trial read_trial(const Statement& row, KnownSteps& known);

// What read_result expects, in its order; joined as `results r`, `problems p`.
inline constexpr std::string_view result_columns =
    "p.kernel, p.shape, p.facts, r.regime, r.winner, r.default_trial, r.incumbent, r.tied, r.margin, r.noise_floor, "
    "r.ceiling,"
    " r.baselines, r.before, r.after, r.bytes_read, r.bytes_written, r.flops, r.bound_by, r.candidates, r.measured,"
    " r.rejected, r.expected_loss, r.default_loss, r.worst_loss, r.closure_hash, r.manifest_hash, r.traveller, "
    "r.loss_neighbours, r.objective, r.search";
inline constexpr int result_column_count = 30;
ProblemResult read_result(const Statement& row);

inline constexpr std::string_view run_columns =
    "u.id, u.facts, u.device, u.nvrtc, u.tool_version, u.policy, u.command, u.emulated, u.shared_gpu, u.started_at,"
    " u.finished_at, u.outcome";
RunRecord read_run(const Statement& row, int first = 0);

}  // namespace tuner::store
