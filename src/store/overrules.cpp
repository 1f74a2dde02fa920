// Pins and forbids of a Store.
#include "store/access.h"
#include "store/rows.h"
#include "store/time_text.h"
#include "store/write_rows.h"

namespace tuner::store {

std::int64_t write_pin(Connection& db, const Pin& pin) {
  db.prepare(
        "DELETE FROM pins WHERE kernel = ? AND shape = ? AND facts_key = ? AND regime = ? AND lower(gpu) IS lower(?)")
      .bind(1, pin.problem.kernel)
      .bind(2, shape_text(pin.problem.dims))
      .bind(3, facts_key(pin.problem.facts))
      .bind(4, pin.regime)
      .bind_or_null(5, pin.gpu)
      .run();
  db.prepare(
        "INSERT INTO pins (kernel, shape, facts_key, facts, regime, gpu, params, trial, why, made_at, unverified)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(1, pin.problem.kernel)
      .bind(2, shape_text(pin.problem.dims))
      .bind(3, facts_key(pin.problem.facts))
      .bind(4, tuner::to_json(pin.problem.facts))
      .bind(5, pin.regime)
      .bind_or_null(6, pin.gpu)
      .bind(7, tuner::to_json(pin.config))
      .bind_id(8, pin.trial)
      .bind(9, pin.why)
      .bind(10, pin.made_at.empty() ? now_text() : pin.made_at)
      .bind(11, std::int64_t{pin.unverified})
      .run();
  return db.last_id();
}

std::int64_t write_forbid(Connection& db, const Forbid& forbid) {
  db.prepare("DELETE FROM forbids WHERE kernel IS ? AND lower(gpu) IS lower(?) AND params = ?")
      .bind_or_null(1, forbid.kernel)
      .bind_or_null(2, forbid.gpu)
      .bind(3, tuner::to_json(forbid.params))
      .run();
  db.prepare("INSERT INTO forbids (kernel, gpu, params, why, made_at) VALUES (?, ?, ?, ?, ?)")
      .bind_or_null(1, forbid.kernel)
      .bind_or_null(2, forbid.gpu)
      .bind(3, tuner::to_json(forbid.params))
      .bind(4, forbid.why)
      .bind(5, forbid.made_at.empty() ? now_text() : forbid.made_at)
      .run();
  return db.last_id();
}

std::int64_t Store::pin(const Pin& pin) {
  std::int64_t id = 0;
  state_->database->write(true, [&] { id = write_pin(state_->database->connection(), pin); });
  return id;
}

std::int64_t Store::forbid(const Forbid& forbid) {
  std::int64_t id = 0;
  state_->database->write(true, [&] { id = write_forbid(state_->database->connection(), forbid); });
  return id;
}

bool Store::remove_pin(std::int64_t id) {
  Connection& db = state_->database->connection();
  state_->database->write(true, [&] { db.prepare("DELETE FROM pins WHERE id = ?").bind(1, id).run(); });
  return db.scalar("SELECT changes()") > 0;
}

bool Store::remove_forbid(std::int64_t id) {
  Connection& db = state_->database->connection();
  state_->database->write(true, [&] { db.prepare("DELETE FROM forbids WHERE id = ?").bind(1, id).run(); });
  return db.scalar("SELECT changes()") > 0;
}

std::vector<Pin> Store::pins() const {
  auto row = StoreAccess::connection(*this).prepare(
      "SELECT id, kernel, shape, facts, regime, gpu, params, trial, why, made_at, unverified FROM pins"
      " ORDER BY id");
  std::vector<Pin> pins;
  while (row.step()) {
    Pin pin;
    pin.id = row.integer(0);
    pin.problem = {row.text(1), parse_shape(row.text(2), "database"), facts_from_json(row.text(3))};
    pin.regime = row.text(4);
    pin.gpu = row.text(5);
    pin.config = config_from_json(row.text(6));
    pin.trial = row.integer(7);
    pin.why = row.text(8);
    pin.made_at = row.text(9);
    pin.unverified = row.integer(10) != 0;
    pin.source = path();
    pins.push_back(std::move(pin));
  }
  return pins;
}

std::vector<Forbid> Store::forbids() const {
  auto row =
      StoreAccess::connection(*this).prepare("SELECT id, kernel, gpu, params, why, made_at FROM forbids ORDER BY id");
  std::vector<Forbid> forbids;
  while (row.step()) {
    Forbid forbid;
    forbid.id = row.integer(0);
    forbid.kernel = row.text(1);
    forbid.gpu = row.text(2);
    forbid.params = config_from_json(row.text(3));
    forbid.why = row.text(4);
    forbid.made_at = row.text(5);
    forbid.source = path();
    forbids.push_back(std::move(forbid));
  }
  return forbids;
}

}  // namespace tuner::store
