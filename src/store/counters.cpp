#include "core/counters.h"

#include "core/error.h"
#include "store/access.h"
#include "store/rows.h"
#include "store/time_text.h"

namespace tuner::store {
namespace {

constexpr std::string_view select_counters =
    "SELECT c.cubin_hash, c.driver, c.profiler, c.launches, c.counted_at, c.id, g.name, c.params FROM counters c"
    " JOIN gpus g ON g.id = c.gpu JOIN problems p ON p.id = c.problem"
    " WHERE p.kernel = ? AND p.shape = ? AND p.facts_key = ?";

Statement& bind_problem(Statement& row, const Problem& problem) {
  return row.bind(1, problem.kernel).bind(2, shape_text(problem.dims)).bind(3, facts_key(problem.facts));
}

Counters read_counters(const Statement& row) {
  Counters counters{row.text(2), row.text(1), read_hash(row, 0), row.text(4), {}};
  try {
    counters.launches = launch_counters_from_json(row.text(3));
  } catch (const UserError& damage) {
    throw UserError(damage.what(), row.path() + ", counters " + std::to_string(row.integer(5)),
                    "the database is damaged: move it away, or name another with --db");
  }
  return counters;
}

}  // namespace

void Store::keep_counters(const GpuFacts& gpu, const Problem& problem, const Config& config, const Counters& counters) {
  Connection& db = state_->database->connection();
  state_->database->write(true, [&] {
    auto row = db.prepare(
        "INSERT OR REPLACE INTO counters (gpu, problem, params, cubin_hash, driver, profiler, launches, counted_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    row.bind(1, gpu_row(db, gpu)).bind(2, problem_row(db, problem)).bind(3, tuner::to_json(config));
    bind_hash(row, 4, counters.cubin_hash);
    row.bind(5, counters.driver).bind(6, counters.profiler).bind(7, tuner::to_json(counters.launches));
    row.bind(8, counters.counted_at.empty() ? now_text() : counters.counted_at);
    row.run();
  });
}

std::optional<Counters> Store::counters(const GpuFacts& gpu, const Problem& problem, const Config& config) const {
  auto row = StoreAccess::connection(*this).prepare(std::string(select_counters) + " AND g.key = ? AND c.params = ?");
  bind_problem(row, problem).bind(4, gpu_key(gpu)).bind(5, tuner::to_json(config));
  if (!row.step()) return std::nullopt;
  return read_counters(row);
}

std::vector<KeptCounters> Store::counters(const Problem& problem) const {
  auto row = StoreAccess::connection(*this).prepare(std::string(select_counters) + " ORDER BY g.key, c.id");
  bind_problem(row, problem);
  std::vector<KeptCounters> all;
  while (row.step()) all.push_back({row.text(6), config_from_json(row.text(7)), read_counters(row)});
  return all;
}

}  // namespace tuner::store
