// What runs that ended before their time left behind.
#include <map>

#include "store/access.h"
#include "store/process_mark.h"
#include "store/rows.h"

namespace tuner::store {
namespace {

// Of these runs, those whose process still works on them.
class Alive {
 public:
  explicit Alive(Connection& db) : row_(db.prepare("SELECT finished_at IS NULL, process FROM runs WHERE id = ?")) {}
  bool operator()(std::int64_t run) {
    const auto known = alive_.find(run);
    if (known != alive_.end()) return known->second;
    row_.reset();
    row_.bind(1, run);
    return alive_[run] = row_.step() && row_.integer(0) != 0 && is_running(row_.text(1));
  }

 private:
  Statement row_;
  std::map<std::int64_t, bool> alive_;
};

// Of these runs, those that ended with their machine, as far as is known: no later process was on its boot.
class WentDown {
 public:
  explicit WentDown(Connection& db)
      : row_(db.prepare("SELECT u.process, (SELECT count(*) FROM runs v WHERE v.id > u.id"
                        " AND substr(v.process, 1, 36) = substr(u.process, 1, 36)) FROM runs u WHERE u.id = ?")) {}
  bool operator()(std::int64_t run) {
    row_.reset();
    row_.bind(1, run);
    return row_.step() && row_.integer(1) == 0 && is_of_another_boot(row_.text(0));
  }

 private:
  Statement row_;
};

// `ids`: rows of (trial, run).
std::vector<Trial> read_ended(Connection& db, Statement& ids, bool charged = false) {
  Alive alive(db);
  WentDown went_down(db);
  auto row = db.prepare(std::string(select_trials) + "WHERE t.id = ?");
  std::vector<Trial> trials;
  while (ids.step()) {
    if (alive(ids.integer(1))) continue;
    row.reset();
    row.bind(1, ids.integer(0));
    if (!row.step()) continue;
    Trial trial = read_trial(row);
    if (charged && trial.status == Status::started && !went_down(ids.integer(1))) continue;
    trials.push_back(std::move(trial));
  }
  return trials;
}

}  // namespace

std::vector<Trial> Store::killers() const {
  Connection& db = StoreAccess::connection(*this);
  auto ids = db.prepare("SELECT id, run FROM trials WHERE status = 'started' ORDER BY id");
  return read_ended(db, ids);
}

std::vector<Trial> Store::unfinished(const RunFacts& like, const Problem& problem, const std::string& regime) const {
  Connection& db = StoreAccess::connection(*this);
  auto ids = db.prepare(
      "SELECT max(t.id), t.run FROM trials t JOIN runs u ON u.id = t.run JOIN gpus g ON g.id = u.gpu"
      " WHERE t.problem = ?1 AND t.regime = ?2 AND g.key = ?3 AND u.driver = ?4 AND u.nvrtc = ?5 AND u.tool_version = "
      "?6"
      " AND u.policy = ?7 AND t.run > coalesce((SELECT max(r.run) FROM results r JOIN runs v ON v.id = r.run"
      "   WHERE r.problem = ?1 AND r.regime = ?2 AND v.gpu = u.gpu), 0)"
      " GROUP BY t.params ORDER BY t.id");
  ids.bind(1, find_problem(db, problem)).bind(2, regime).bind(3, gpu_key(like.gpu)).bind(4, like.gpu.driver);
  ids.bind(5, like.nvrtc).bind(6, like.tool_version).bind(7, std::int64_t{like.policy});
  return read_ended(db, ids);
}

std::optional<Tried> Store::tried(const GpuFacts& gpu, const Problem& problem, const std::string& regime) const {
  const auto newest = result(gpu, problem, regime);
  if (!newest) return std::nullopt;
  Tried tried{newest->closure_hash, newest->manifest_hash, newest->objective};
  Connection& db = StoreAccess::connection(*this);
  const auto of_its_template = [&](const std::string& select, const std::string& and_where) {
    auto rows = db.prepare(select + " WHERE r.problem = ? AND r.regime = ? AND g.key = ? AND r.closure_hash IS ?" +
                           " AND r.manifest_hash IS ?" + and_where);
    rows.bind(1, find_problem(db, problem)).bind(2, regime).bind(3, gpu_key(gpu));
    bind_hash(rows, 4, tried.closure_hash);
    bind_hash(rows, 5, tried.manifest_hash);
    return rows;
  };
  const std::string results = " FROM results r JOIN runs u ON u.id = r.run JOIN gpus g ON g.id = u.gpu";
  auto configs = of_its_template("SELECT DISTINCT t.params" + results +
                                     " JOIN trials t ON t.run = r.run AND t.problem = r.problem AND"
                                     " t.regime = r.regime",
                                 " AND t.status NOT IN ('started', 'compiled')");
  while (configs.step()) tried.configs.insert(configs.text(0));
  auto most = of_its_template("SELECT coalesce(max(r.candidates), 0)" + results, "");
  const auto candidates = most.step() ? most.integer(0) : 0;
  if (static_cast<std::int64_t>(tried.configs.size()) < candidates) tried.without_rows = static_cast<int>(candidates);
  return tried;
}

std::vector<Trial> Store::deadly(const GpuFacts& gpu, const Problem& problem, const std::string& regime) const {
  Connection& db = StoreAccess::connection(*this);
  auto ids = db.prepare(
      "SELECT t.id, t.run FROM trials t JOIN runs u ON u.id = t.run JOIN gpus g ON g.id = u.gpu"
      " WHERE t.problem = ? AND t.regime = ? AND g.key = ?"
      " AND (t.status = 'started' OR t.reason IN"
      " ('timeout', 'fault', 'worker_lost', 'compile_timeout', 'compile_crash')) ORDER BY t.id");
  ids.bind(1, find_problem(db, problem)).bind(2, regime).bind(3, gpu_key(gpu));
  return read_ended(db, ids, true);
}

}  // namespace tuner::store
