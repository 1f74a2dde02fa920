#include "store/sqlite.h"

#include <sqlite3.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "core/error.h"

namespace tuner::store {
namespace {

// How long a lock is waited for: asked for every millisecond at first, since who closes a database as the last one
// holds it alone for a few of them.
constexpr int quick_asks = 50, slow_asks = 995, slow_ms = 10;

int ask_again(void*, int asked) {
  if (asked >= quick_asks + slow_asks) return 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(asked < quick_asks ? 1 : slow_ms));
  return 1;
}

[[noreturn]] void fail(sqlite3* db, int rc, const std::string& path) {
  const std::string message = db != nullptr ? sqlite3_errmsg(db) : sqlite3_errstr(rc);
  // A full disk shows as an error of input and output where SQLite makes room for its index.
  if ((rc & 0xff) == SQLITE_IOERR && db != nullptr && sqlite3_system_errno(db) == ENOSPC) rc = SQLITE_FULL;
  switch (rc & 0xff) {
    case SQLITE_CORRUPT:
      throw UserError("'" + path + "' is damaged", path, "move it away, or name another with --db (" + message + ")");
    case SQLITE_NOTADB:
      throw UserError("'" + path + "' is not a tuner database", path, "name another file with --db");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      throw MachineError("'" + path + "' is locked by another process", path,
                         "wait for it to end, or use another --db");
    case SQLITE_FULL:
      throw MachineError("no space left to write '" + path + "'", path, "free some space, or use another --db");
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw MachineError("'" + path + "' cannot be written: " + message, path,
                         "check its permissions, or use another --db");
    case SQLITE_IOERR:
      throw MachineError("'" + path + "' cannot be read or written: " + message, path, "check the disk");
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
      throw MachineError("'" + path + "' cannot be opened or read: " + message, path, "check the path and the disk");
    case SQLITE_ERROR:
      // Of statements that are right with every schema of ours.
      if (message.rfind("no such ", 0) == 0 || message.find("already exists") != std::string::npos)
        throw UserError("'" + path + "' is damaged", path, "move it away, or name another with --db (" + message + ")");
      [[fallthrough]];
    default:
      throw MachineError("database error in '" + path + "': " + message, path);
  }
}

int flags_of(Connection::Access access) {
  switch (access) {
    case Connection::Access::create:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case Connection::Access::write:
      return SQLITE_OPEN_READWRITE;
    case Connection::Access::read:
      return SQLITE_OPEN_READONLY;
    case Connection::Access::immutable:
      return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
  }
  return SQLITE_OPEN_READONLY;
}

// "file:" with what a URI gives a meaning escaped.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (char c : path) {
    if (c == '%') {
      uri += "%25";
    } else if (c == '?') {
      uri += "%3f";
    } else if (c == '#') {
      uri += "%23";
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

Statement::Statement(sqlite3* db, std::string path, std::string_view sql) : db_(db), path_(std::move(path)) {
  check(sqlite3_prepare_v2(db_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
}

Statement::Statement(Statement&& other) noexcept
    : db_(other.db_), path_(std::move(other.path_)), statement_(std::exchange(other.statement_, nullptr)) {}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::check(int rc) const {
  if (rc != SQLITE_OK) fail(db_, rc, path_);
}

Statement& Statement::bind(int at, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, at, value));
  return *this;
}

Statement& Statement::bind(int at, double value) {
  check(sqlite3_bind_double(statement_, at, value));
  return *this;
}

Statement& Statement::bind(int at, std::string_view text) {
  check(sqlite3_bind_text64(statement_, at, text.data() != nullptr ? text.data() : "", text.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind_blob(int at, std::string_view bytes) {
  check(
      sqlite3_bind_blob64(statement_, at, bytes.data() != nullptr ? bytes.data() : "", bytes.size(), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind_null(int at) {
  check(sqlite3_bind_null(statement_, at));
  return *this;
}

Statement& Statement::bind_or_null(int at, std::string_view text) {
  return text.empty() ? bind_null(at) : bind(at, text);
}

Statement& Statement::bind_id(int at, std::int64_t id) { return id == 0 ? bind_null(at) : bind(at, id); }

bool Statement::step() {
  const int rc = sqlite3_step(statement_);
  if (rc == SQLITE_ROW) return true;
  if (rc != SQLITE_DONE) fail(db_, rc, path_);
  return false;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() { sqlite3_reset(statement_); }  // its code repeats the last step's, already thrown

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
bool Statement::is_blob(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_BLOB; }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Connection::Connection(const std::string& path, Access access)
    : path_(path), checkpoints_(access == Access::create || access == Access::write) {
  const std::string name = access == Access::immutable ? immutable_uri(path) : path;
  const int rc = sqlite3_open_v2(name.c_str(), &db_, flags_of(access), nullptr);
  if (rc != SQLITE_OK) {
    sqlite3* broken = std::exchange(db_, nullptr);
    try {
      fail(broken, rc, path_);
    } catch (...) {
      sqlite3_close(broken);
      throw;
    }
  }
  sqlite3_extended_result_codes(db_, 1);
  sqlite3_busy_handler(db_, ask_again, nullptr);
}

Connection::~Connection() {
  // What is to be copied is copied while others read; then closing, which shuts them out, finds little to do.
  if (checkpoints_) sqlite3_wal_checkpoint_v2(db_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  sqlite3_close_v2(db_);
}

void Connection::execute(std::string_view sql) {
  const int rc = sqlite3_exec(db_, std::string(sql).c_str(), nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) fail(db_, rc, path_);
}

std::int64_t Connection::scalar(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::string Connection::scalar_text(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.text(0) : std::string();
}

std::int64_t Connection::last_id() const { return sqlite3_last_insert_rowid(db_); }

void Connection::no_checkpoint_on_close() {
  checkpoints_ = false;
  sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, static_cast<int*>(nullptr));
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    db_.execute("ROLLBACK");
  } catch (const std::exception&) {
    // The failure that brought us here is already on its way; SQLite rolls back when the connection closes.
  }
}

void Transaction::commit() {
  db_.execute("COMMIT");
  open_ = false;
}

}  // namespace tuner::store
