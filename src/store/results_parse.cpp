#include "store/results_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "store/json_scan.h"
#include "store/results_folder.h"
#include "store/rows.h"

namespace tuner::store {
namespace {

using Json = nlohmann::ordered_json;

std::string position(std::string_view text, std::size_t byte, const std::string& path) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto row = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return fmt::format("{}:{}:{}", path, row, column);
}

std::string named(const std::string& key, const std::string& of) {
  return "'" + key + "'" + (of.empty() ? "" : " of " + of);
}

constexpr const char* type_name(const bool&) { return "true or false"; }
constexpr const char* type_name(const int&) { return "a whole number"; }
constexpr const char* type_name(const std::int64_t&) { return "a whole number"; }
constexpr const char* type_name(const double&) { return "a number"; }
constexpr const char* type_name(const float&) { return "a number"; }
constexpr const char* type_name(const std::string&) { return "a text"; }

// False where it is of another type or does not fit.
bool convert(const Json& json, bool& into) {
  if (json.is_boolean()) into = json.get<bool>();
  return json.is_boolean();
}
bool convert(const Json& json, std::string& into) {
  if (json.is_string()) into = json.get<std::string>();
  return json.is_string();
}
bool convert(const Json& json, std::int64_t& into) {
  if (!json.is_number_integer()) return false;
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) return false;
  into = json.get<std::int64_t>();
  return true;
}
bool convert(const Json& json, int& into) {
  std::int64_t wide = 0;
  if (!convert(json, wide) || wide < INT_MIN || wide > INT_MAX) return false;
  into = static_cast<int>(wide);
  return true;
}
bool convert(const Json& json, double& into) {
  if (json.is_number()) into = json.get<double>();
  return json.is_number();
}
bool convert(const Json& json, float& into) {
  double wide = 0;
  if (!convert(json, wide) || std::abs(wide) > double{FLT_MAX}) return false;
  into = static_cast<float>(wide);
  return true;
}

// An object whose members have to be there and of their type. Throws UserError that names the one that is not.
class Fields {
 public:
  Fields(const Json& object, std::string name) : object_(object), name_(std::move(name)) {
    if (!object_.is_object()) throw UserError((name_.empty() ? "it" : name_) + " is not an object");
  }
  bool has(const char* key) const { return object_.contains(key); }
  const Json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) throw UserError(named(key, name_) + " is missing");
    return *found;
  }
  Fields object(const char* key) const { return {at(key), named(key, name_)}; }
  const Json& list(const char* key) const {
    if (!at(key).is_array()) throw UserError(named(key, name_) + " is not a list");
    return at(key);
  }
  template <class T>
  void read(const char* key, T& into) const {
    if (!convert(at(key), into)) throw UserError(named(key, name_) + " is not " + type_name(into) + ", or too large");
  }
  template <class T>
  void read(const char* key, std::vector<T>& into) const {
    for (const Json& item : list(key))
      if (!convert(item, into.emplace_back()))
        throw UserError(named(key, name_) + " is not a list of numbers, or one is too large");
  }
  // The number of a trial; 0 for null.
  std::int64_t trial(const char* key, std::size_t trials) const {
    if (at(key).is_null()) return 0;
    std::int64_t id = 0;
    read(key, id);
    check_trial(id, trials);
    return id;
  }
  static void check_trial(std::int64_t id, std::size_t trials) {
    if (id < 1 || id > static_cast<std::int64_t>(trials)) throw UserError(fmt::format("there is no trial {}", id));
  }

 private:
  const Json& object_;
  std::string name_;
};

void check_steps(const Fields& trial) {
  for (const Json& item : trial.list("steps")) {
    const Fields step(item, "a step");
    std::int64_t number = 0;
    std::string text;
    if (step.has("memset")) {
      step.read("memset", text);
      step.read("byte", number);
      if (number < 0 || number > 255) throw UserError(named("byte", "a step") + " is not a byte");
      continue;
    }
    step.read("launch", text);
    step.read("shared", number);
    for (const char* key : {"grid", "block"}) {
      std::vector<std::int64_t> size;
      step.read(key, size);
      if (size.size() != 3) throw UserError(named(key, "a step") + " has not three numbers");
    }
  }
}

Trial read_trial(const Fields& json, const ProblemResult& row, std::size_t trials, KnownSteps& steps) {
  Trial trial;
  trial.problem = row.problem;
  trial.regime = row.regime;
  trial.config = config_from_json(json.at("params").dump());
  check_steps(json);
  trial.steps = steps_of(json.at("steps").dump(), steps);
  std::string word;
  json.read("status", word);
  const auto status = status_from_text(word);
  if (!status) throw UserError("unknown status '" + word + "'");
  trial.status = *status;
  trial.duplicate_of = json.trial("duplicate_of", trials);
  json.read("time_us", trial.time_us);
  json.read("spread", trial.spread);
  json.read("finalist", trial.finalist);
  json.read("deterministic", trial.deterministic);
  json.read("registers", trial.registers);
  json.read("spill_bytes", trial.spill_bytes);
  json.read("static_shared_bytes", trial.static_shared_bytes);
  json.read("max_err_over_bound", trial.max_err_over_bound);
  json.read("max_rel_err", trial.max_rel_err);
  json.read("exact_only", trial.exact_only);
  json.read("source_hash", trial.source_hash);
  json.read("cubin_hash", trial.cubin_hash);
  json.read("samples_us", trial.samples_us);
  if (json.has("cost")) json.read("cost", trial.cost);
  trial.rounds = static_cast<int>(trial.samples_us.size());
  return trial;
}

void read_run(const Fields& json, Entry& entry) {
  json.read("tuned_at", entry.tuned_at);
  json.read("driver", entry.driver);
  json.read("cuda_driver", entry.gpu.cuda_driver);
  json.read("power_limit_w", entry.gpu.power_limit_w);
  json.read("ecc", entry.gpu.ecc);
  json.read("nvrtc", entry.nvrtc);
  json.read("tool_version", entry.tool_version);
  json.read("policy", entry.policy);
  json.read("emulated", entry.emulated);
  json.read("shared_gpu", entry.shared_gpu);
  entry.gpu.driver = entry.driver;
}

Conditions read_conditions(const Fields& json) {
  Conditions conditions;
  json.read("sm_clock_mhz", conditions.sm_clock_mhz);
  json.read("memory_clock_mhz", conditions.memory_clock_mhz);
  json.read("temperature_c", conditions.temperature_c);
  json.read("power_w", conditions.power_w);
  json.read("throttle", conditions.throttle);
  return conditions;
}

void read_ceiling(const Fields& json, Ceiling& ceiling) {
  json.read("sustained_gb_per_s", ceiling.sustained_gb_per_s);
  json.read("probe_us", ceiling.probe_us);
  json.read("probe_no_x_us", ceiling.probe_no_x_us);
  json.read("best_gb_per_s", ceiling.best_gb_per_s);
  json.read("probe_config", ceiling.probe_config);
  json.read("from", ceiling.from);
  if (!json.has("tflop_per_s")) return;
  json.read("tflop_per_s", ceiling.tflop_per_s);
  json.read("arithmetic", ceiling.arithmetic);
}

Baseline read_baseline(const Fields& json) {
  Baseline baseline;
  json.read("name", baseline.name);
  json.read("time_us", baseline.time_us);
  json.read("spread", baseline.spread);
  json.read("detail", baseline.detail);
  json.read("samples_us", baseline.samples_us);
  return baseline;
}

void read_problem(const Fields& json, ProblemResult& row) {
  json.read("kernel", row.problem.kernel);
  json.read("shape", row.problem.dims);
  row.problem.facts = facts_from_json(json.at("facts").dump());
  json.read("regime", row.regime);
}

void read_row(const Fields& json, ProblemResult& row) {
  read_problem(json, row);
  const Fields work = json.object("work");
  work.read("bytes_read", row.bytes_read);
  work.read("bytes_written", row.bytes_written);
  work.read("flops", row.flops);
  work.read("bound_by", row.bound_by);
  const Fields counts = json.object("counts");
  counts.read("candidates", row.candidates);
  counts.read("measured", row.measured);
  counts.read("rejected", row.rejected);
  read_ceiling(json.object("ceiling"), row.ceiling);
  for (const Json& baseline : json.list("baselines")) row.baselines.push_back(read_baseline({baseline, "a baseline"}));
  row.before = read_conditions(json.object("before"));
  row.after = read_conditions(json.object("after"));
  json.read("margin", row.margin);
  json.read("noise_floor", row.noise_floor);
  if (json.has("objective")) json.read("objective", row.objective);
  if (json.has("search")) json.read("search", row.search);
  if (json.has("losses")) {
    const Fields losses = json.object("losses");
    losses.read("neighbours", row.loss_neighbours);
    losses.read("expected", row.expected_loss);
    losses.read("default", row.default_loss);
    losses.read("worst", row.worst_loss);
  }
  if (json.has("hashes")) {
    json.object("hashes").read("closure", row.closure_hash);
    json.object("hashes").read("manifest", row.manifest_hash);
  }
}

Entry read_entry(const Fields& json, const GpuFacts& gpu, KnownSteps& steps) {
  Entry entry;
  entry.gpu = gpu;
  read_run(json.object("run"), entry);
  ProblemResult& row = entry.result;
  read_row(json, row);
  const Json& trials = json.list("trials");
  row.winner = json.trial("winner", trials.size());
  row.default_trial = json.trial("default", trials.size());
  row.incumbent = json.trial("incumbent", trials.size());
  if (json.has("traveller")) row.traveller = json.trial("traveller", trials.size());
  json.read("tied", row.tied);
  for (const std::int64_t id : row.tied) Fields::check_trial(id, trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Trial trial = read_trial({trials[i], fmt::format("trial {}", i + 1)}, row, trials.size(), steps);
    trial.id = static_cast<std::int64_t>(i) + 1;
    trial.is_default = trial.id == row.default_trial;
    entry.trials.push_back(std::move(trial));
  }
  if (row.winner == 0) throw UserError("it has no winner");
  return entry;
}

std::string where_of(const Json& json, std::size_t index, const std::string& path) {
  std::string text = path + ", result " + std::to_string(index + 1);
  if (!json.is_object() || !json.contains("kernel") || !json["kernel"].is_string()) return text;
  text += " (";
  text += json["kernel"].get<std::string>();
  if (json.contains("shape")) text.append(1, ' ').append(json["shape"].dump());
  return text + ")";
}

constexpr const char* edited_hint = "it was edited or written by another version; `tuner export` writes it anew";

// The tree of `part` of a file's text.
Json parse_text(std::string_view text, std::string_view part, const std::string& path) {
  const auto begin = static_cast<std::size_t>(part.data() - text.data());
  if (nested_too_deeply(part))
    throw UserError(fmt::format("'{}' has brackets nested over {} deep", path, most_nested), path, edited_hint);
  try {
    return Json::parse(part);
  } catch (const Json::parse_error& error) {
    throw UserError("'" + path + "' is not JSON", position(text, begin + error.byte, path),
                    "it may be cut off or edited");
  } catch (const Json::out_of_range& error) {
    // Its text ends with the number, in quotes.
    std::string_view number = error.what();
    number = number.substr(number.find('\'') + 1);
    number = number.substr(0, number.find('\''));
    throw UserError("'" + path + "' has a number that is too large",
                    position(text, part.find(number) + begin + 1, path), edited_hint);
  }
}

Entry read_checked(const Json& json, std::size_t index, const GpuFacts& gpu, const std::string& path,
                   KnownSteps& steps) {
  const std::string where = where_of(json, index, path);
  try {
    Entry entry = read_entry({json, ""}, gpu, steps);
    entry.source = path;
    if (const auto wrong = impossible_value(entry)) throw UserError(*wrong);
    if (const auto wrong = disagreement(entry)) throw UserError(*wrong);
    return entry;
  } catch (const UserError& error) {
    throw UserError(error.what(), where, error.hint().empty() ? edited_hint : error.hint());
  }
}

std::vector<Entry> read_entries(const Json& json, const std::string& path) {
  std::vector<Entry> entries;
  const GpuFacts gpu = parse_model(json["gpu"].dump(), path);
  const Json& results = json["results"];
  if (!results.is_array()) throw UserError("'results' is not a list", path, edited_hint);
  KnownSteps steps;
  for (std::size_t i = 0; i < results.size(); ++i) entries.push_back(read_checked(results[i], i, gpu, path, steps));
  return entries;
}

}  // namespace

GpuFacts parse_model(std::string_view object, const std::string& path) {
  try {
    const Json json = Json::parse(object, nullptr, false);
    const Fields model(json, "'gpu'");
    for (const char* key : {"name", "arch", "sm_count", "memory_bytes", "mig_profile"}) model.at(key);
    return gpu_from_json(object);
  } catch (const UserError& error) {
    throw UserError(error.what(), path + ", gpu", edited_hint);
  }
}

FolderFile parse_folder_file(std::string_view text, const std::string& path) {
  const Json json = parse_text(text, text, path);
  const auto has = [&json](const char* key) { return json.is_object() && json.contains(key); };
  const bool overrules = has("pins") || has("forbids");
  const bool complete = has("results") ? has("gpu") : overrules;
  if (!has("tuner") || !complete)
    throw UserError("'" + path + "' is not a results file", path, "it needs the keys tuner, gpu and results");
  if (json["tuner"] != 1) throw UserError("'" + path + "' was written by a newer tuner", path, "update tuner");
  FolderFile file;
  if (has("results")) file.entries = read_entries(json, path);
  if (!overrules) return file;
  Json rules{{"tuner", 1}};
  for (const char* key : {"pins", "forbids"})
    if (has(key)) rules[key] = json[key];
  file.overrules = parse_overrules(rules.dump(-1, ' ', false, Json::error_handler_t::replace), path);
  return file;
}

Entry parse_result(const ResultPlace& place, const GpuFacts& gpu, const std::string& path) {
  KnownSteps steps;
  return read_checked(parse_text(place.file, place.object, path), place.index, gpu, path, steps);
}

Entry parse_outline(const ResultKeys& keys, const GpuFacts& gpu) {
  Entry entry;
  entry.gpu = gpu;
  const Json run = Json::parse(keys.run);
  read_run({run, "'run'"}, entry);
  const Json problem{{"kernel", Json::parse(keys.kernel)},
                     {"shape", Json::parse(keys.shape)},
                     {"facts", Json::parse(keys.facts)},
                     {"regime", Json::parse(keys.regime)}};
  read_problem({problem, ""}, entry.result);
  if (const auto wrong = impossible_problem(entry)) throw UserError(*wrong);
  return entry;
}

std::vector<Entry> parse_results(std::string_view text, const std::string& path) {
  return parse_folder_file(text, path).entries;
}

FolderFile read_folder_file(const std::string& path) { return parse_folder_file(read_results_text(path), path); }

std::vector<Entry> read_results(const std::string& path) { return read_folder_file(path).entries; }

}  // namespace tuner::store
