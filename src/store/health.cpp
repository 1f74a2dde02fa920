#include "store/health.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "store/database.h"
#include "store/time_text.h"

namespace tuner::store {
namespace {

namespace fs = std::filesystem;

Health health_of(const UserError& error) {
  const std::string text = error.what();
  if (text.find("newer tuner") != std::string::npos) return Health::newer;
  return text.find("not a tuner database") != std::string::npos ? Health::foreign : Health::damaged;
}

// The first line may be SQLite's heading, "*** in database main ***".
std::string first_finding(std::string text) {
  if (text.compare(0, 3, "***") == 0 && text.find('\n') != text.npos) text.erase(0, text.find('\n') + 1);
  return text.substr(0, text.find('\n'));
}

}  // namespace

Checked check_database(const std::string& path) {
  try {
    if (!read_header(path).present) return {};
    const auto database = Database::open_to_read(path);
    const std::string found = database->connection().scalar_text("PRAGMA quick_check(1)");
    if (found != "ok") return {Health::damaged, first_finding(found)};
    return {Health::good, {}};
  } catch (const UserError& error) {
    return {health_of(error), error.what()};
  } catch (const MachineError& error) {
    return {Health::unusable, error.what()};
  }
}

std::vector<std::string> set_aside(const std::string& path) {
  FileLock lock(path + ".lock");
  const Locked held(lock);
  std::string stamp = now_text();
  stamp.erase(std::remove_if(stamp.begin(), stamp.end(), [](char c) { return c == '-' || c == ':'; }), stamp.end());
  std::string aside = path + ".aside-" + stamp;
  for (int copy = 2; fs::exists(aside); ++copy) aside = path + ".aside-" + stamp + "." + std::to_string(copy);
  std::vector<std::string> names;
  // The log before its file: a log that is left beside a new file would be taken for that file's.
  for (const char* part : {"-wal", "-shm", "-journal", ""}) {
    if (!fs::exists(path + part)) continue;
    std::error_code error;
    fs::rename(path + part, aside + part, error);
    if (error) throw MachineError("'" + path + part + "' cannot be renamed: " + error.message(), path + part);
    names.push_back(aside + part);
  }
  std::reverse(names.begin(), names.end());
  return names;
}

}  // namespace tuner::store
