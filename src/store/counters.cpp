#include "core/counters.h"

#include "core/error.h"
#include "store/access.h"
#include "store/rows.h"
#include "store/time_text.h"

namespace tuner::store {

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
  auto row = StoreAccess::connection(*this).prepare(
      "SELECT c.cubin_hash, c.driver, c.profiler, c.launches, c.counted_at, c.id FROM counters c"
      " JOIN gpus g ON g.id = c.gpu JOIN problems p ON p.id = c.problem"
      " WHERE g.key = ? AND p.kernel = ? AND p.shape = ? AND p.facts_key = ? AND c.params = ?");
  row.bind(1, gpu_key(gpu)).bind(2, problem.kernel).bind(3, shape_text(problem.dims)).bind(4, facts_key(problem.facts));
  row.bind(5, tuner::to_json(config));
  if (!row.step()) return std::nullopt;
  Counters counters{row.text(2), row.text(1), read_hash(row, 0), row.text(4), {}};
  try {
    counters.launches = launch_counters_from_json(row.text(3));
  } catch (const UserError& damage) {
    throw UserError(damage.what(), row.path() + ", counters " + std::to_string(row.integer(5)),
                    "the database is damaged: move it away, or name another with --db");
  }
  return counters;
}

}  // namespace tuner::store
