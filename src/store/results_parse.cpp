#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "store/results_file.h"
#include "store/rows.h"

namespace tuner::store {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t max_bytes = std::size_t{256} << 20;

std::string position(std::string_view text, std::size_t byte, const std::string& path) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto row = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return fmt::format("{}:{}:{}", path, row, column);
}

std::int64_t number(const Json& json, std::size_t trials) {
  if (json.is_null()) return 0;
  const auto value = json.get<std::int64_t>();
  if (value < 1 || value > static_cast<std::int64_t>(trials))
    throw UserError(fmt::format("there is no trial {}", value));
  return value;
}

Trial read_trial(const Json& json, const ProblemResult& row, std::int64_t id, std::size_t trials, KnownSteps& steps) {
  Trial trial;
  trial.id = id;
  trial.problem = row.problem;
  trial.regime = row.regime;
  trial.config = config_from_json(json.at("params").dump());
  trial.steps = steps_of(json.at("steps").dump(), steps);
  const auto status = status_from_text(json.at("status").get<std::string>());
  if (!status) throw UserError("unknown status '" + json.at("status").get<std::string>() + "'");
  trial.status = *status;
  trial.duplicate_of = number(json.at("duplicate_of"), trials);
  json.at("time_us").get_to(trial.time_us);
  json.at("spread").get_to(trial.spread);
  json.at("finalist").get_to(trial.finalist);
  json.at("deterministic").get_to(trial.deterministic);
  json.at("registers").get_to(trial.registers);
  json.at("spill_bytes").get_to(trial.spill_bytes);
  json.at("static_shared_bytes").get_to(trial.static_shared_bytes);
  json.at("max_err_over_bound").get_to(trial.max_err_over_bound);
  json.at("max_rel_err").get_to(trial.max_rel_err);
  json.at("exact_only").get_to(trial.exact_only);
  json.at("source_hash").get_to(trial.source_hash);
  json.at("cubin_hash").get_to(trial.cubin_hash);
  json.at("samples_us").get_to(trial.samples_us);
  trial.rounds = static_cast<int>(trial.samples_us.size());
  return trial;
}

void read_run(const Json& json, Entry& entry) {
  json.at("tuned_at").get_to(entry.tuned_at);
  json.at("driver").get_to(entry.driver);
  json.at("cuda_driver").get_to(entry.gpu.cuda_driver);
  json.at("power_limit_w").get_to(entry.gpu.power_limit_w);
  json.at("ecc").get_to(entry.gpu.ecc);
  json.at("nvrtc").get_to(entry.nvrtc);
  json.at("tool_version").get_to(entry.tool_version);
  json.at("policy").get_to(entry.policy);
  json.at("emulated").get_to(entry.emulated);
  json.at("shared_gpu").get_to(entry.shared_gpu);
  entry.gpu.driver = entry.driver;
}

void read_row(const Json& json, ProblemResult& row) {
  json.at("kernel").get_to(row.problem.kernel);
  json.at("shape").get_to(row.problem.dims);
  if (row.problem.dims.empty() || *std::min_element(row.problem.dims.begin(), row.problem.dims.end()) < 1)
    throw UserError("a dimension is less than 1");
  row.problem.facts = facts_from_json(json.at("facts").dump());
  json.at("regime").get_to(row.regime);
  const Json& work = json.at("work");
  work.at("bytes_read").get_to(row.bytes_read);
  work.at("bytes_written").get_to(row.bytes_written);
  work.at("flops").get_to(row.flops);
  work.at("bound_by").get_to(row.bound_by);
  const Json& counts = json.at("counts");
  counts.at("candidates").get_to(row.candidates);
  counts.at("measured").get_to(row.measured);
  counts.at("rejected").get_to(row.rejected);
  row.ceiling = ceiling_from_json(json.at("ceiling").dump());
  row.baselines = baselines_from_json(json.at("baselines").dump());
  row.before = conditions_from_json(json.at("before").dump());
  row.after = conditions_from_json(json.at("after").dump());
  json.at("margin").get_to(row.margin);
  json.at("noise_floor").get_to(row.noise_floor);
  if (json.contains("losses")) {
    json["losses"].at("neighbours").get_to(row.loss_neighbours);
    json["losses"].at("expected").get_to(row.expected_loss);
    json["losses"].at("default").get_to(row.default_loss);
    json["losses"].at("worst").get_to(row.worst_loss);
  }
  if (json.contains("hashes")) {
    json["hashes"].at("closure").get_to(row.closure_hash);
    json["hashes"].at("manifest").get_to(row.manifest_hash);
  }
}

Entry read_entry(const Json& json, const GpuFacts& gpu, KnownSteps& steps) {
  Entry entry;
  entry.gpu = gpu;
  read_run(json.at("run"), entry);
  ProblemResult& row = entry.result;
  read_row(json, row);
  const Json& trials = json.at("trials");
  row.winner = number(json.at("winner"), trials.size());
  row.default_trial = number(json.at("default"), trials.size());
  row.incumbent = number(json.at("incumbent"), trials.size());
  if (json.contains("traveller")) row.traveller = number(json["traveller"], trials.size());
  for (const Json& id : json.at("tied")) row.tied.push_back(number(id, trials.size()));
  for (const Json& trial : trials)
    entry.trials.push_back(
        read_trial(trial, row, static_cast<std::int64_t>(entry.trials.size()) + 1, trials.size(), steps));
  for (Trial& trial : entry.trials) trial.is_default = trial.id == row.default_trial;
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

Json parse_text(std::string_view text, const std::string& path) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw UserError("'" + path + "' is not JSON", position(text, error.byte, path), "it may be cut off or edited");
  }
}

constexpr const char* edited_hint = "it was edited or written by another version; `tuner export` writes it anew";

std::vector<Entry> read_entries(const Json& json, const std::string& path) {
  std::vector<Entry> entries;
  const GpuFacts gpu = gpu_from_json(json["gpu"].dump());
  const Json& results = json["results"];
  KnownSteps steps;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string where = where_of(results[i], i, path);
    try {
      Entry entry = read_entry(results[i], gpu, steps);
      entry.source = path;
      if (const auto wrong = disagreement(entry)) throw UserError(*wrong, where, edited_hint);
      entries.push_back(std::move(entry));
    } catch (const Json::exception& error) {
      throw UserError(std::string("a key is missing or of the wrong type: ") + error.what(), where, edited_hint);
    } catch (const UserError& error) {
      throw UserError(error.what(), where, error.hint());
    }
  }
  return entries;
}

FolderFile parse_file(std::string_view text, const std::string& path) {
  const Json json = parse_text(text, path);
  const auto has = [&json](const char* key) { return json.is_object() && json.contains(key); };
  const bool overrules = has("pins") || has("forbids");
  if (!has("tuner") || !(overrules || (has("gpu") && has("results"))))
    throw UserError("'" + path + "' is not a results file", path, "it needs the keys tuner, gpu and results");
  if (json["tuner"] != 1) throw UserError("'" + path + "' was written by a newer tuner", path, "update tuner");
  FolderFile file;
  if (has("results")) file.entries = read_entries(json, path);
  if (!overrules) return file;
  Json rules{{"tuner", 1}};
  for (const char* key : {"pins", "forbids"})
    if (has(key)) rules[key] = json[key];
  file.overrules = parse_overrules(rules.dump(), path);
  return file;
}

}  // namespace

std::vector<Entry> parse_results(std::string_view text, const std::string& path) {
  return parse_file(text, path).entries;
}

FolderFile read_folder_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto bytes = static_cast<std::streamoff>(file.tellg());
  if (!file || bytes < 0) throw MachineError("'" + path + "' cannot be read", path);
  if (static_cast<std::size_t>(bytes) > max_bytes) throw UserError("'" + path + "' is larger than 256 MiB", path);
  std::string text(static_cast<std::size_t>(bytes), '\0');
  if (!file.seekg(0).read(text.data(), bytes)) throw MachineError("'" + path + "' cannot be read", path);
  return parse_file(text, path);
}

std::vector<Entry> read_results(const std::string& path) { return read_folder_file(path).entries; }

}  // namespace tuner::store
