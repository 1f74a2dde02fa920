// The connection behind a Store, for the other files of this folder.
#pragma once

#include "store/database.h"
#include "store/store.h"

namespace tuner::store {

struct Store::State {
  std::unique_ptr<Database> database;
};

struct StoreAccess {
  static Connection& connection(const Store& store) { return store.state_->database->connection(); }
  static Database& database(Store& store) { return *store.state_->database; }
};

}  // namespace tuner::store
