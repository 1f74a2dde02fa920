#include "export/document.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "core/error.h"
#include "store/allowed.h"
#include "store/gpu_choice.h"
#include "store/ladder.h"
#include "store/results_file.h"
#include "store/results_parse.h"

namespace tuner::exporting {
namespace {

using store::Entry;

std::string file_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
    const bool upper = c >= 'A' && c <= 'Z';
    if (plain || upper)
      name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  return name;
}

// Models that share a name are told apart by memory and MIG profile.
std::string path_of(const GpuFacts& gpu, std::set<std::string>& taken) {
  std::string name = file_name(gpu.name);
  if (name.empty() || name == "overrules") name = file_name(gpu.name + " gpu");  // that file is people's
  if (taken.count(name) != 0) {
    const auto gib = std::llround(static_cast<double>(gpu.memory_bytes) / (1024.0 * 1024.0 * 1024.0));
    name = file_name(gpu.name + " " + std::to_string(gib) + "gib " + gpu.mig_profile);
  }
  while (!taken.insert(name).second) name += "_";
  return name + ".json";
}

store::Overrules of_gpu(const store::Overrules& all, const GpuFacts& gpu) {
  store::Overrules some;
  for (const store::Pin& pin : all.pins)
    if (store::pin_for(all.pins, pin.problem, pin.regime, gpu) == &pin) some.pins.push_back(pin);
  for (const store::Forbid& forbid : all.forbids)
    if (store::contains_blind(gpu.name, forbid.gpu)) store::put(some, forbid);
  return some;
}

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Each result by what it is of.
std::map<std::string, std::string> rows_of(const std::string& text, const std::string& path) {
  std::map<std::string, std::string> rows;
  for (const Entry& entry : store::parse_results(text, path)) {
    const ProblemResult& row = entry.result;
    rows[row.problem.kernel + " " + shape_text(row.problem.dims) + " " + facts_key(row.problem.facts) +
         (row.regime == "plain" ? "" : " " + row.regime)] = store::write_results({entry});
  }
  return rows;
}

std::vector<std::string> different_rows(const Document& wanted, const std::string& there) {
  std::vector<std::string> rows;
  try {
    const auto now = rows_of(wanted.text, wanted.path);
    const auto before = rows_of(there, wanted.path);
    for (const auto& [row, text] : now) {
      const auto at = before.find(row);
      if (at == before.end())
        rows.push_back("new: " + row);
      else if (at->second != text)
        rows.push_back("changed: " + row);
    }
    for (const auto& [row, text] : before)
      if (now.count(row) == 0) rows.push_back("gone: " + row);
  } catch (const Error& error) {
    rows.push_back(std::string("unreadable: ") + error.what());
  }
  return rows;
}

void find_line(const std::string& wanted, const std::string& there, Difference& difference) {
  std::istringstream a(wanted);
  std::istringstream b(there);
  for (;;) {
    ++difference.line;
    const bool more_wanted = static_cast<bool>(std::getline(a, difference.wanted));
    const bool more_there = static_cast<bool>(std::getline(b, difference.there));
    if (!more_wanted) difference.wanted.clear();
    if (!more_there) difference.there.clear();
    if (difference.wanted != difference.there || !more_wanted || !more_there) return;
  }
}

std::string key_of(const Entry& entry) {
  const ProblemResult& result = entry.result;
  return store::gpu_key(entry.gpu) + "\n" + result.problem.kernel + " " + shape_text(result.problem.dims) + " " +
         facts_key(result.problem.facts) + " " + result.regime;
}

const Trial* winner_of(const Entry& entry) {
  const auto is = [&entry](const Trial& trial) { return trial.id == entry.result.winner; };
  const auto at = std::find_if(entry.trials.begin(), entry.trials.end(), is);
  return at == entry.trials.end() ? nullptr : &*at;
}

// Both of one key.
bool is_copy(const Entry& a, const Entry& b) {
  const Trial* won = winner_of(a);
  const Trial* other = winner_of(b);
  return a.tuned_at == b.tuned_at && a.shared_gpu == b.shared_gpu && won != nullptr && other != nullptr &&
         won->config == other->config && won->samples_us == other->samples_us;
}

}  // namespace

std::vector<Entry> one_of_each(const std::vector<Entry>& entries) {
  std::vector<Entry> chosen;
  std::map<std::string, std::size_t> places;
  for (const Entry& entry : entries) {
    const auto [at, fresh] = places.emplace(key_of(entry), chosen.size());
    if (fresh) {
      chosen.push_back(entry);
    } else if (chosen[at->second].shared_gpu && !entry.shared_gpu) {
      chosen[at->second] = entry;
    }
  }
  return chosen;
}

std::vector<Entry> without_copies(const std::vector<Entry>& entries) {
  std::vector<Entry> chosen;
  std::map<std::string, std::vector<std::size_t>> places;
  for (const Entry& entry : entries) {
    std::vector<std::size_t>& same = places[key_of(entry)];
    if (std::any_of(same.begin(), same.end(), [&](std::size_t at) { return is_copy(chosen[at], entry); })) continue;
    same.push_back(chosen.size());
    chosen.push_back(entry);
  }
  return chosen;
}

std::vector<Document> results_documents(const std::vector<Entry>& entries, const store::Overrules& overrules) {
  std::vector<std::string> keys;
  std::map<std::string, std::vector<Entry>> by_model;
  for (const Entry& entry : entries) {
    auto allowed = store::allowed_part(entry, overrules.forbids);
    if (!allowed || allowed->result.winner == 0) continue;
    const std::string key = store::gpu_key(entry.gpu);
    if (by_model.count(key) == 0) keys.push_back(key);
    by_model[key].push_back(std::move(*allowed));
  }
  std::sort(keys.begin(), keys.end());
  std::vector<Document> documents;
  std::set<std::string> taken;
  for (const std::string& key : keys) {
    const std::vector<Entry>& rows = by_model[key];
    const GpuFacts& gpu = rows.front().gpu;
    documents.push_back({path_of(gpu, taken), store::write_results(rows, of_gpu(overrules, gpu)), rows.size()});
  }
  return documents;
}

Document beside_others(const Document& document, const std::string& kernel) {
  std::error_code error;
  if (!std::filesystem::exists(document.path, error)) return document;
  store::FolderFile there = store::read_folder_file(document.path);
  store::FolderFile all = store::parse_folder_file(document.text, document.path);
  const auto keep = [](auto& from, auto& to, const auto& is_kept) {
    std::copy_if(std::move_iterator(from.begin()), std::move_iterator(from.end()), std::back_inserter(to), is_kept);
  };
  keep(there.entries, all.entries, [&](const Entry& entry) { return entry.result.problem.kernel != kernel; });
  keep(there.overrules.pins, all.overrules.pins, [&](const auto& pin) { return pin.problem.kernel != kernel; });
  keep(there.overrules.forbids, all.overrules.forbids,
       [&](const auto& forbid) { return !forbid.kernel.empty() && forbid.kernel != kernel; });
  for (const Entry& entry : all.entries)
    if (store::gpu_key(entry.gpu) != store::gpu_key(all.entries.front().gpu))
      throw UserError("'" + document.path + "' is of another GPU, '" + store::described(entry.gpu) + "'", document.path,
                      "name another file; an export of all kernels replaces it");
  return {document.path, store::write_results(all.entries, all.overrules), document.results,
          all.entries.size() - document.results};
}

std::optional<Difference> difference(const Document& document) {
  Difference difference;
  difference.path = document.path;
  std::error_code error;
  difference.missing = !std::filesystem::exists(document.path, error);
  const std::string there = difference.missing ? std::string() : read_whole(document.path);
  if (!difference.missing && there == document.text) return std::nullopt;
  find_line(document.text, there, difference);
  const bool json = document.text.rfind('{', 0) == 0;
  if (json && !difference.missing) difference.rows = different_rows(document, there);
  return difference;
}

}  // namespace tuner::exporting
