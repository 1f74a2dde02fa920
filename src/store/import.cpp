#include "store/import.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/error.h"
#include "core/hash.h"
#include "store/access.h"
#include "store/expected_loss.h"
#include "store/import_rows.h"
#include "store/overrules_file.h"
#include "store/results_at.h"
#include "store/results_file.h"
#include "store/write_rows.h"

namespace tuner::store {
namespace {

namespace fs = std::filesystem;

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

// Of what brought pins or forbids and no run.
void note_overrules(Connection& db, const char* kind, const std::string& path, const Overrules& overrules) {
  note_import(db, kind, path, content_hash(write_overrules(overrules)), 0);
}

// One path, read and found to be without fault.
struct Source {
  std::string path;
  std::vector<std::string> files{};
  std::vector<FolderFile> contents{};
  std::optional<Store> database{};
};

Source read_source(const Store& store, const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw UserError("there is no '" + path + "'", path, "name a folder, a file or a database");
  if (fs::equivalent(path, store.path(), error))
    throw UserError("'" + path + "' is the database itself", path, "name another with --db");
  Source source{path};
  if (!fs::is_directory(path, error) && is_database(path)) {
    source.database = Store::open(path, Store::Mode::read_only);
    return source;
  }
  source.files = fs::is_directory(path, error) ? json_files(path) : std::vector{path};
  for (const std::string& file : source.files) source.contents.push_back(read_folder_file(file));
  return source;
}

Imported import_files(Store& store, const Source& source) {
  Imported done;
  Connection& db = StoreAccess::connection(store);
  for (std::size_t i = 0; i < source.files.size(); ++i) {
    const FolderFile& content = source.contents[i];
    const std::size_t before = done.runs.size();
    const int rules_before = done.pins + done.forbids;
    import_entries(db, content.entries, done);
    import_overrules(db, store, content.overrules, done);
    const std::string hash = content.entries.empty() ? "" : content_hash(write_results(content.entries));
    for (std::size_t run = before; run < done.runs.size(); ++run)
      note_import(db, "file", source.files[i], hash, done.runs[run]);
    if (done.runs.size() == before && done.pins + done.forbids > rules_before)
      note_overrules(db, "file", source.files[i], content.overrules);
  }
  return done;
}

Imported import_database(Store& store, const Source& source) {
  const Store& other = *source.database;
  Connection& from = StoreAccess::connection(other);
  Connection& to = StoreAccess::connection(store);
  Imported done;
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
    const std::int64_t id = write_run(to, run.record, run.process);
    done.trials += copy_trials(from, run.id, to, id);
    done.results += results;
    done.runs.push_back(id);
    note_import(to, "database", source.path, content_hash(run.mark()), id);
  }
  Overrules overrules{other.pins(), other.forbids()};
  for (Pin& pin : overrules.pins) pin.trial = 0;  // an id of the other file
  import_overrules(to, store, overrules, done);
  if (done.runs.empty() && done.pins + done.forbids > 0) note_overrules(to, "database", source.path, overrules);
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

bool import_row(Store& store, const Entry& entry) {
  Imported done;
  Connection& db = StoreAccess::connection(store);
  StoreAccess::database(store).write(true, [&] {
    import_entries(db, {entry}, done);
    for (const std::int64_t run : done.runs)
      note_import(db, "file", entry.source, content_hash(write_results({entry})), run);
  });
  update_losses(store, done.runs);
  return done.results > 0;
}

std::vector<Imported> import_paths(Store& store, const std::vector<std::string>& paths) {
  std::vector<Source> sources;
  for (const std::string& path : paths) sources.push_back(read_source(store, path));
  std::vector<Imported> done;
  StoreAccess::database(store).write(true, [&] {
    for (const Source& source : sources)
      done.push_back(source.database ? import_database(store, source) : import_files(store, source));
  });
  std::vector<std::int64_t> runs;
  for (const Imported& one : done) runs.insert(runs.end(), one.runs.begin(), one.runs.end());
  update_losses(store, runs);
  return done;
}

}  // namespace tuner::store
