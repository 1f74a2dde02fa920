#include "cli/places.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "core/suggest.h"

namespace tuner::cli {
namespace fs = std::filesystem;
namespace {

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_share(const fs::path& path) { return is_folder(path / "kernel_templates") && is_folder(path / "configs"); }

// Throws UserError, with what the system says of it, unless it is one.
void require_folder(const std::string& folder, const std::string& where, const std::string& hint = {}) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::is_directory(status)) return;
  const std::string quoted = "'" + folder + "'";
  if (fs::exists(status)) throw UserError(quoted + " is no folder", where, hint);
  if (status.type() == fs::file_type::none) throw UserError(quoted + " cannot be read: " + error.message(), where);
  throw UserError("no such folder: " + quoted, where, hint);
}

// The source folder of the build tree that the program lies in; empty when it lies in none.
std::string source_of_build(const fs::path& folder) {
  static constexpr std::string_view key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  std::ifstream cache(folder / "CMakeCache.txt");
  for (std::string line; std::getline(cache, line);)
    if (line.compare(0, key.size(), key) == 0) return line.substr(key.size());
  return {};
}

std::string find_share(const fs::path& program, const Environment& environment) {
  if (const auto wanted = environment("TUNER_SHARE"); wanted && !wanted->empty()) {
    if (is_share(*wanted)) return *wanted;
    throw UserError("no folder with kernel_templates/ and configs/: '" + *wanted + "'", "$TUNER_SHARE");
  }
  const fs::path folder = program.parent_path();
  const fs::path installed = (folder / ".." / "share" / "tuner").lexically_normal();
  if (is_share(installed)) return installed.string();
  // A build folder, inside the source tree or elsewhere.
  for (fs::path up = folder; up != up.parent_path(); up = up.parent_path())
    if (is_share(up)) return up.string();
  if (const std::string source = source_of_build(folder); !source.empty() && is_share(source)) return source;
  throw MachineError("the share folder was not found", installed.string(), "reinstall, or set TUNER_SHARE");
}

std::string shipped_results(const std::string& share) {
  for (const char* name : {"results", "db"})
    if (is_folder(fs::path(share) / name)) return (fs::path(share) / name).string();
  return {};
}

// Empty where there is no home: look-ups still answer from the other layers.
std::string home_folder(const Environment& environment, const char* xdg, const char* below_home) {
  if (const auto folder = environment(xdg); folder && !folder->empty()) return *folder + "/tuner";
  if (const auto home = environment("HOME"); home && !home->empty()) return *home + "/" + below_home + "/tuner";
  return {};
}

std::string default_database(const Environment& environment) {
  const std::string folder = home_folder(environment, "XDG_DATA_HOME", ".local/share");
  return folder.empty() ? folder : folder + "/tuner.db";
}

// Empty where the variable is not set.
std::string results_folder(const char* name, const Environment& environment) {
  const auto folder = environment(name);
  if (!folder || folder->empty()) return {};
  require_folder(*folder, std::string("$") + name, "it names one folder of results");
  return *folder;
}

}  // namespace

// One that may not be looked at is taken: whoever lists it hears why it cannot be.
std::string find_project(const std::string& from, const Environment& environment, std::vector<std::string>& warnings) {
  if (std::string named = results_folder("TUNER_RESULTS", environment); !named.empty()) return named;
  for (fs::path up(from); !up.empty(); up = up.parent_path()) {
    const fs::path folder = up / ".tuner";
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    const bool there = fs::exists(fs::symlink_status(folder, error));
    if (fs::is_directory(status) || (there && status.type() == fs::file_type::none)) return folder.string();
    if (there)
      warnings.push_back("'" + folder.string() +
                         "' is left out: " + (fs::exists(status) ? "it is no folder" : "it is a link to nothing"));
    if (up == up.parent_path()) break;
  }
  return {};
}

namespace {

std::vector<std::string> find_kernels(const std::string& share, const PlaceFlags& flags,
                                      const Environment& environment) {
  std::vector<std::string> folders{share + "/kernel_templates"};
  const auto add = [&folders](const std::string& folder, const char* where) {
    require_folder(folder, where);
    folders.push_back(folder);
  };
  for (const std::string& folder : flags.kernels) add(folder, "--kernels");
  if (const auto folder = environment("TUNER_KERNELS"); folder && !folder->empty()) add(*folder, "$TUNER_KERNELS");
  return folders;
}

}  // namespace

store::Layers::Places Places::layers() const { return {database, database_named, project, site, shipped}; }

std::optional<std::string> process_environment(const char* name) {
  const char* value = std::getenv(name);
  if (!value) return std::nullopt;
  return value;
}

Places find_places(const std::string& program, const std::string& working_folder, const PlaceFlags& flags,
                   const Environment& environment) {
  Places places;
  places.program = program;
  places.share = find_share(program, environment);
  places.shipped = shipped_results(places.share);
  const auto named = environment("TUNER_DB");
  places.database_named = !flags.database.empty() || (named && !named->empty());
  if (!flags.database.empty())
    places.database = flags.database;
  else
    places.database = places.database_named ? *named : default_database(environment);
  if (places.database == ":memory:")
    throw UserError("a database in memory would be lost with this process",
                    flags.database.empty() ? "$TUNER_DB" : "--db", "name a file");
  const auto cache = environment("TUNER_CACHE");
  places.cache = cache && !cache->empty() ? *cache : home_folder(environment, "XDG_CACHE_HOME", ".cache");
  const auto locks = environment("TUNER_LOCK_DIR");
  places.lock_folders = locks && !locks->empty() ? std::vector{*locks} : std::vector<std::string>{"/run/lock", "/tmp"};
  places.project = find_project(working_folder, environment, places.warnings);
  places.site = results_folder("TUNER_SITE", environment);
  places.kernel_folders = find_kernels(places.share, flags, environment);
  return places;
}

std::string program_path() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw MachineError("the path of this program cannot be read: " + error.message(), "/proc/self/exe");
  return path.string();
}

std::string find_config(const std::string& path, const Places& places) {
  std::error_code error;
  for (const fs::path& file : {fs::path(path), fs::path(places.share) / path}) {
    if (!fs::exists(file, error)) continue;
    if (fs::is_directory(file, error)) throw UserError("this is a folder", file.string(), "name a file in it");
    return file.string();
  }
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(places.share) / "configs", error))
    names.push_back("configs/" + entry.path().filename().string());
  std::sort(names.begin(), names.end());
  throw UserError("no such file", path, did_you_mean(path, names));
}

}  // namespace tuner::cli
