#include "store/database.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.h"
#include "store/kept_file.h"
#include "store/migrations.h"
#include "store/older_schema.h"
#include "store/time_text.h"

namespace tuner::store {
namespace {

using Header = std::array<unsigned char, 100>;

UserError not_ours(const std::string& path) {
  return UserError("'" + path + "' is not a tuner database", path, "name another file with --db");
}

UserError damaged(const std::string& path, const std::string& why = "it is cut off") {
  return UserError("'" + path + "' is damaged", path, "move it away, or name another with --db (" + why + ")");
}

// Ours has its version from its first commit on.
void check_version(const std::string& path, std::int64_t version) {
  if (version < 1) throw damaged(path, "its schema has the version " + std::to_string(version));
}

UserError newer(const std::string& path) {
  return UserError("'" + path + "' was written by a newer tuner", path, "update tuner, or name another file with --db");
}

std::uint32_t big_endian(const Header& header, std::size_t at) {
  return std::uint32_t{header[at]} << 24 | std::uint32_t{header[at + 1]} << 16 | std::uint32_t{header[at + 2]} << 8 |
         std::uint32_t{header[at + 3]};
}

bool has_content(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  return !error && size > 0;
}

// The page count in the header is only binding when no journal holds the rest of the truth.
bool is_cut_off(const std::string& path, const Header& header, std::uintmax_t size) {
  if (has_content(path + "-wal") || has_content(path + "-journal")) return false;
  if (big_endian(header, 24) != big_endian(header, 92)) return false;
  std::uint64_t page = std::uint64_t{header[16]} << 8 | header[17];
  if (page == 1) page = 65536;
  return size < page * big_endian(header, 28);
}

std::size_t read_start(const std::string& path, int fd, Header& header) {
  std::size_t got = 0;
  while (got < header.size()) {
    const ssize_t n = ::pread(fd, header.data() + got, header.size() - got, static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw MachineError("'" + path + "' cannot be read: " + std::strerror(errno), path);
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

bool reads_this(Connection& db, int user_version) {
  if (user_version <= static_cast<int>(migrations().size())) return true;
  return db.scalar("SELECT min_reader FROM schema_info") <= static_cast<std::int64_t>(migrations().size());
}

// A file whose log holds part of the truth says nothing by its size, so it is read through; one that is so large that
// others would wait for it shows its damage when it is used.
bool may_be_checked(const std::string& path) {
  constexpr std::uintmax_t most = std::uintmax_t{32} << 20;
  std::error_code error;
  return has_content(path + "-wal") && std::filesystem::file_size(path, error) <= most;
}

std::unique_ptr<Connection> connect_to_read(const std::string& path) {
  try {
    auto connection = std::make_unique<Connection>(path, Connection::Access::read);
    connection->scalar("SELECT min_reader FROM schema_info");
    return connection;
  } catch (const MachineError&) {
    // A WAL database in a folder that cannot be written has nowhere to put its index; without a log it needs none.
    if (has_content(path + "-wal")) throw;
    auto connection = std::make_unique<Connection>(path, Connection::Access::immutable);
    connection->scalar("SELECT min_reader FROM schema_info");
    return connection;
  }
}

void migrate(Connection& db, int version) {
  const auto& steps = migrations();
  const auto target = static_cast<int>(steps.size());
  if (version >= target) return;
  Transaction transaction(db);
  for (int i = version; i < target; ++i) db.execute(steps[static_cast<std::size_t>(i)].sql);
  if (version == 0) db.execute("PRAGMA application_id = " + std::to_string(application_id));
  db.execute("PRAGMA user_version = " + std::to_string(target));
  auto info = db.prepare(
      "INSERT INTO schema_info (id, min_reader, created_at, created_by) VALUES (1, ?, ?, ?)"
      " ON CONFLICT (id) DO UPDATE SET min_reader = excluded.min_reader");
  info.bind(1, std::int64_t{min_reader}).bind(2, now_text()).bind(3, TUNER_VERSION).run();
  transaction.commit();
}

void choose_journal(Connection& db, const std::string& path) {
  db.scalar_text(on_network(path) ? "PRAGMA journal_mode = DELETE" : "PRAGMA journal_mode = WAL");
}

// Beside it and renamed, under its lock: a file that is half made is no database to whoever looks at it meanwhile, nor
// later, when its maker was killed. Where a link or an old log stands in the way SQLite makes it in its place.
void make_new(const std::string& path) {
  std::error_code error;
  const auto there = std::filesystem::symlink_status(path, error);
  if (std::filesystem::is_symlink(there) || has_content(path + "-wal") || has_content(path + "-journal")) return;
  const std::string part = path + ".new";
  const auto remove = [&part] {
    std::error_code ignored;
    for (const char* of : {"", "-journal", "-wal", "-shm"}) std::filesystem::remove(part + of, ignored);
  };
  remove();
  try {
    {
      Connection db(part, Connection::Access::create);
      migrate(db, 0);
      choose_journal(db, path);
    }
    if (std::filesystem::exists(there)) std::filesystem::permissions(part, there.permissions(), error);
    std::filesystem::rename(part, path, error);
    if (error) throw MachineError("'" + path + "' cannot be written: " + error.message(), path);
  } catch (const MachineError& failure) {
    remove();
    std::string what = failure.what();
    if (const std::size_t at = what.find(part); at != std::string::npos) what.replace(at, part.size(), path);
    throw MachineError(what, path, failure.hint());
  }
}

void make_folder(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw MachineError("'" + path + "' cannot be written: " + error.message(), path, "name another file with --db");
}

}  // namespace

FileHeader read_header(const std::string& path) {
  const int fd = kept_descriptor(path);
  if (fd < 0) {
    if (errno == ENOENT) return {};
    if (errno == ENOTDIR) throw not_ours(path);
    throw MachineError("'" + path + "' cannot be opened: " + std::strerror(errno), path, "check its permissions");
  }
  struct stat status {};
  if (::fstat(fd, &status) == 0 && !S_ISREG(status.st_mode)) throw not_ours(path);
  Header header{};
  const std::size_t got = read_start(path, fd, header);
  if (got == 0) return {};
  constexpr std::string_view magic("SQLite format 3\0", 16);
  if (std::memcmp(header.data(), magic.data(), std::min(got, magic.size())) != 0) throw not_ours(path);
  if (got < header.size()) throw damaged(path);
  if (big_endian(header, 68) != static_cast<std::uint32_t>(application_id)) throw not_ours(path);
  if (is_cut_off(path, header, static_cast<std::uintmax_t>(status.st_size))) throw damaged(path);
  const auto version = static_cast<std::int32_t>(big_endian(header, 60));
  check_version(path, version);
  return {true, version};
}

bool on_network(const std::string& path) {
  // linux/magic.h and the file systems' own sources: NFS, SMB, CIFS, SMB2, FUSE, Lustre, Ceph, GPFS, BeeGFS, AFS, 9p,
  // OCFS2, Coda.
  constexpr std::array<std::uint32_t, 14> magics{0x6969,     0x517b,     0xff534d42, 0xfe534d42, 0x65735546,
                                                 0x0bd00bd0, 0x00c36400, 0x47504653, 0x19830326, 0x5346414f,
                                                 0x6b414653, 0x01021997, 0x7461636f, 0x73757245};
  struct statfs facts {};
  const auto folder = std::filesystem::absolute(path).parent_path();
  if (::statfs(folder.c_str(), &facts) != 0) return false;
  return std::find(magics.begin(), magics.end(), static_cast<std::uint32_t>(facts.f_type)) != magics.end();
}

FileLock& Database::writable() {
  assert(lock_ != nullptr && "a read-only store was asked to write");
  return *lock_;
}

std::unique_ptr<Database> Database::open_to_write(const std::string& path) {
  FileHeader header = read_header(path);
  if (header.user_version > static_cast<int>(migrations().size())) throw newer(path);
  if (header.present && ::access(path.c_str(), W_OK) != 0) {
    throw MachineError("'" + path + "' cannot be written: " + std::strerror(errno), path,
                       "name another file with --db");
  }
  if (!header.present) make_folder(path);
  std::unique_ptr<Database> database(new Database(path));
  database->lock_ = std::make_unique<FileLock>(path + ".lock");
  const Locked held(*database->lock_);
  header = read_header(path);  // another process may have made it meanwhile
  if (!header.present) make_new(path);
  database->connection_ = std::make_unique<Connection>(path, Connection::Access::create);
  Connection& db = *database->connection_;
  db.execute("PRAGMA foreign_keys = ON");
  const auto version = static_cast<int>(db.scalar("PRAGMA user_version"));
  if (header.present) check_version(path, version);
  if (version > static_cast<int>(migrations().size())) throw newer(path);
  if (may_be_checked(path) && db.scalar_text("PRAGMA quick_check(1)") != "ok") throw damaged(path);
  migrate(db, version);
  choose_journal(db, path);
  return database;
}

std::unique_ptr<Database> Database::open_to_read(const std::string& path) {
  const FileHeader header = read_header(path);
  if (!header.present) {
    if (std::filesystem::exists(path)) throw not_ours(path);
    throw UserError("'" + path + "' does not exist", path, "`tuner sweep` makes it");
  }
  std::unique_ptr<Database> database(new Database(path));
  if (header.user_version > static_cast<int>(migrations().size())) {
    Connection look(path, Connection::Access::immutable);
    if (!reads_this(look, header.user_version)) throw newer(path);
  }
  database->connection_ = connect_to_read(path);
  Connection& db = *database->connection_;
  db.no_checkpoint_on_close();
  db.execute("PRAGMA wal_autocheckpoint = 0");
  const auto version = static_cast<int>(db.scalar("PRAGMA user_version"));
  check_version(path, version);
  if (!reads_this(db, version)) throw newer(path);
  if (version < static_cast<int>(migrations().size())) show_newest_schema(db);
  return database;
}

// The last connection to close checkpoints: under the lock, or not at all.
Database::~Database() {
  if (lock_ == nullptr || connection_ == nullptr) return;
  try {
    const Locked held(*lock_, std::chrono::seconds(1));
    connection_.reset();
  } catch (const Error&) {
    connection_->no_checkpoint_on_close();
    connection_.reset();
  }
}

}  // namespace tuner::store
