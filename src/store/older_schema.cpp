#include "store/older_schema.h"

#include <map>
#include <string>
#include <vector>

#include "store/migrations.h"

namespace tuner::store {
namespace {

struct Column {
  std::string name;
  std::string otherwise;  // SQL of its default
};

std::vector<Column> columns_of(Connection& db, const std::string& table) {
  auto rows = db.prepare("SELECT name, coalesce(dflt_value, 'NULL') FROM pragma_table_info(?, 'main')");
  rows.bind(1, table);
  std::vector<Column> columns;
  while (rows.step()) columns.push_back({rows.text(0), rows.text(1)});
  return columns;
}

// Table name to the SQL that makes it.
std::map<std::string, std::string> tables_of(Connection& db) {
  auto rows = db.prepare("SELECT name, sql FROM main.sqlite_schema WHERE type = 'table'");
  std::map<std::string, std::string> tables;
  while (rows.step()) tables.emplace(rows.text(0), rows.text(1));
  return tables;
}

}  // namespace

void show_newest_schema(Connection& db) {
  db.execute("PRAGMA temp_store = MEMORY");
  Connection newest(":memory:", Connection::Access::create);
  for (const Migration& step : migrations()) newest.execute(step.sql);
  const auto here = tables_of(db);
  for (const auto& [table, sql] : tables_of(newest)) {
    if (here.count(table) == 0) {
      db.execute("CREATE TEMP" + sql.substr(sql.find(' ')));
      continue;
    }
    const std::vector<Column> known = columns_of(db, table);
    std::string missing;
    for (const Column& column : columns_of(newest, table)) {
      bool found = false;
      for (const Column& other : known) found = found || other.name == column.name;
      if (!found) missing += ", " + column.otherwise + " AS " + column.name;
    }
    if (!missing.empty()) db.execute("CREATE TEMP VIEW " + table + " AS SELECT *" + missing + " FROM main." + table);
  }
}

}  // namespace tuner::store
