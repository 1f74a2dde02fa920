// Reading a database of an older schema version without writing to it.
#pragma once

#include "store/sqlite.h"

namespace tuner::store {

// Temporary views and tables that give this connection the newest schema: a column that the file lacks reads as its
// default, a table it lacks is empty.
void show_newest_schema(Connection& db);

}  // namespace tuner::store
