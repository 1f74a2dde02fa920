#include "store/import.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "core/error.h"
#include "core/hash.h"
#include "store/access.h"
#include "store/expected_loss.h"
#include "store/import_rows.h"
#include "store/kept_file.h"
#include "store/results_file.h"
#include "store/write_rows.h"

namespace tuner::store {
namespace {

namespace fs = std::filesystem;

bool is_database(const std::string& path) {
  std::string start(16, '\0');
  const int fd = kept_descriptor(path);  // it may be the one that is open already
  return fd >= 0 && ::pread(fd, start.data(), start.size(), 0) == 16 && start == std::string("SQLite format 3\0", 16);
}

std::vector<std::string> json_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& file : fs::directory_iterator(folder))
    if (file.path().extension() == ".json") files.push_back(file.path().string());
  std::sort(files.begin(), files.end());
  if (files.empty())
    throw UserError("there is no results file in '" + folder + "'", folder, "`tuner export` writes one");
  return files;
}

// The newer of two with one place stays.
void import_overrules(Connection& db, Store& store, const Overrules& overrules, Imported& done) {
  Overrules known{store.pins(), store.forbids()};
  const auto older = [](const auto& rules, const auto& rule) {
    return std::none_of(rules.begin(), rules.end(), [&rule](const auto& other) {
      return same_place(rule, other) && other.made_at >= rule.made_at;
    });
  };
  for (const Pin& pin : overrules.pins) {
    if (!older(known.pins, pin)) continue;
    write_pin(db, pin);
    ++done.pins;
  }
  for (const Forbid& forbid : overrules.forbids) {
    if (!older(known.forbids, forbid)) continue;
    write_forbid(db, forbid);
    ++done.forbids;
  }
}

// One run for all results that one sweep can have given.
void import_entries(Connection& db, const std::vector<Entry>& entries, Imported& done) {
  using Key = std::tuple<std::string, std::string, std::string, std::string, int, bool, bool>;
  std::map<Key, std::vector<const Entry*>> by_run;
  for (const Entry& entry : entries) {
    if (has_result(db, entry)) {
      ++done.known;
      continue;
    }
    by_run[{gpu_key(entry.gpu), entry.driver, entry.nvrtc, entry.tool_version, entry.policy, entry.emulated,
            entry.shared_gpu}]
        .push_back(&entry);
  }
  for (const auto& [key, of_run] : by_run) {
    const std::int64_t run = import_run(db, of_run);
    done.runs.push_back(run);
    for (const Entry* entry : of_run) {
      done.trials += import_entry(db, run, *entry);
      ++done.results;
    }
  }
}

Imported import_files(Store& store, const std::vector<std::string>& files) {
  std::vector<FolderFile> contents;
  for (const std::string& file : files) contents.push_back(read_folder_file(file));
  Imported done;
  Connection& db = StoreAccess::connection(store);
  StoreAccess::database(store).write(true, [&] {
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::size_t before = done.runs.size();
      import_entries(db, contents[i].entries, done);
      import_overrules(db, store, contents[i].overrules, done);
      const std::string hash = contents[i].entries.empty() ? "" : content_hash(write_results(contents[i].entries));
      for (std::size_t run = before; run < done.runs.size(); ++run)
        note_import(db, "file", files[i], hash, done.runs[run]);
    }
  });
  return done;
}

Imported import_database(Store& store, const std::string& path) {
  const Store other = Store::open(path, Store::Mode::read_only);
  Connection& from = StoreAccess::connection(other);
  Connection& to = StoreAccess::connection(store);
  Imported done;
  StoreAccess::database(store).write(true, [&] {
    copy_texts(from, to);
    for (const StoredRun& run : stored_runs(from)) {
      if (run.is_running) {
        ++done.unfinished_runs;
        continue;
      }
      const int results = count_results(from, run.id);
      if (has_run(to, run, count_trials(from, run.id))) {
        done.known += results;
        continue;
      }
      const std::int64_t id = copy_run(to, run);
      done.trials += copy_trials(from, run.id, to, id);
      done.results += results;
      done.runs.push_back(id);
      note_import(to, "database", path, content_hash(run.mark()), id);
    }
    Overrules overrules{other.pins(), other.forbids()};
    for (Pin& pin : overrules.pins) pin.trial = 0;  // an id of the other file
    import_overrules(to, store, overrules, done);
  });
  return done;
}

void update_losses(Store& store, const std::vector<std::int64_t>& runs) {
  std::set<std::tuple<std::string, std::string, std::string>> touched;
  for (const std::int64_t run : runs) {
    auto rows = StoreAccess::connection(store).prepare(
        "SELECT DISTINCT u.facts, p.kernel, r.regime FROM results r JOIN runs u ON u.id = r.run"
        " JOIN problems p ON p.id = r.problem WHERE r.run = ?");
    rows.bind(1, run);
    while (rows.step()) touched.emplace(rows.text(0), rows.text(1), rows.text(2));
  }
  for (const auto& [gpu, kernel, regime] : touched) update_expected_losses(store, gpu_from_json(gpu), kernel, regime);
}

}  // namespace

Imported import_path(Store& store, const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw UserError("there is no '" + path + "'", path, "name a folder, a file or a database");
  if (fs::equivalent(path, store.path(), error))
    throw UserError("'" + path + "' is the database itself", path, "name another with --db");
  Imported done;
  if (fs::is_directory(path, error)) {
    done = import_files(store, json_files(path));
  } else if (is_database(path)) {
    done = import_database(store, path);
  } else {
    done = import_files(store, {path});
  }
  update_losses(store, done.runs);
  return done;
}

}  // namespace tuner::store
