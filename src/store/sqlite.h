// The little of SQLite that the store needs: a connection, prepared statements, transactions. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace tuner::store {

// One prepared statement; bind from 1, read columns from 0.
class Statement {
 public:
  Statement(sqlite3* db, std::string path, std::string_view sql);
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  Statement& bind(int at, std::int64_t value);
  Statement& bind(int at, double value);
  Statement& bind(int at, std::string_view text);
  Statement& bind_blob(int at, std::string_view bytes);
  Statement& bind_null(int at);
  // Text, or null when empty.
  Statement& bind_or_null(int at, std::string_view text);
  // An id, or null when 0.
  Statement& bind_id(int at, std::int64_t id);

  // True while there is a row. Throws as Connection does.
  bool step();
  // Steps to the end and makes the statement ready for the next use.
  void run();
  void reset();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;  // 0 for null
  double real(int column) const;           // 0 for null
  std::string text(int column) const;      // bytes of text or blob; empty for null
  bool is_blob(int column) const;
  const std::string& path() const { return path_; }  // of its database

 private:
  void check(int rc) const;
  sqlite3* db_;
  std::string path_;
  sqlite3_stmt* statement_ = nullptr;
};

class Connection {
 public:
  enum class Access { create, write, read, immutable };
  // Failures throw: MachineError when the file cannot be opened, read, written or locked, UserError when it is damaged.
  Connection(const std::string& path, Access access);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  void execute(std::string_view sql);  // any number of statements, no rows
  std::int64_t scalar(std::string_view sql);
  std::string scalar_text(std::string_view sql);
  Statement prepare(std::string_view sql) { return {db_, path_, sql}; }
  std::int64_t last_id() const;
  // Closing never checkpoints: for readers, and when the lock was not to be had.
  void no_checkpoint_on_close();

 private:
  std::string path_;
  sqlite3* db_ = nullptr;
  bool checkpoints_;  // when it is closed
};

// BEGIN IMMEDIATE; rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(Connection& db) : db_(db) { db_.execute("BEGIN IMMEDIATE"); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Connection& db_;
  bool open_ = true;
};

}  // namespace tuner::store
