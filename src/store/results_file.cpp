#include "store/results_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "store/rows.h"
#include "store/spaced_json.h"

namespace tuner::store {
namespace {

using Json = nlohmann::ordered_json;

std::string line(const Json& json) { return spaced_json(json.dump(-1, ' ', false, Json::error_handler_t::replace)); }

// The shortest decimals that read back as these floats.
std::string samples_text(const std::vector<float>& samples) {
  std::string text = "[";
  for (const float us : samples) text += fmt::format("{}{}", text.size() == 1 ? "" : ", ", us);
  return text + "]";
}

Json number_of(const Entry& entry, std::int64_t id) {
  for (std::size_t i = 0; i < entry.trials.size(); ++i)
    if (entry.trials[i].id == id) return i + 1;
  return nullptr;
}

std::string trial_line(const Entry& entry, const Trial& trial) {
  Json json{{"params", Json::parse(to_json(trial.config))},
            {"steps", Json::parse(to_json(trial.steps))},
            {"status", to_text(trial.status)},
            {"duplicate_of", number_of(entry, trial.duplicate_of)},
            {"time_us", trial.time_us},
            {"spread", trial.spread},
            {"finalist", trial.finalist},
            {"deterministic", trial.deterministic},
            {"registers", trial.registers},
            {"spill_bytes", trial.spill_bytes},
            {"static_shared_bytes", trial.static_shared_bytes},
            {"max_err_over_bound", trial.max_err_over_bound},
            {"max_rel_err", trial.max_rel_err},
            {"exact_only", trial.exact_only},
            {"source_hash", trial.source_hash},
            {"cubin_hash", trial.cubin_hash}};
  if (trial.cost > 0) json["cost"] = trial.cost;
  std::string text = line(json);
  text.pop_back();
  return text + ", \"samples_us\": " + samples_text(trial.samples_us) + "}";
}

// What is the model's, not one machine's.
Json model_json(const GpuFacts& gpu) {
  Json json = Json::parse(to_json(gpu));
  for (const char* key : {"uuid", "driver", "cuda_driver", "power_limit_w", "ecc", "display"}) json.erase(key);
  return json;
}

Json run_json(const Entry& entry) {
  return {{"tuned_at", entry.tuned_at},
          {"driver", entry.driver},
          {"cuda_driver", entry.gpu.cuda_driver},
          {"power_limit_w", entry.gpu.power_limit_w},
          {"ecc", entry.gpu.ecc},
          {"nvrtc", entry.nvrtc},
          {"tool_version", entry.tool_version},
          {"policy", entry.policy},
          {"emulated", entry.emulated},
          {"shared_gpu", entry.shared_gpu}};
}

std::string result_text(const Entry& entry) {
  const ProblemResult& row = entry.result;
  Json tied = Json::array();
  for (const std::int64_t id : row.tied) tied.push_back(number_of(entry, id));
  std::string baselines = to_json(row.baselines);
  std::string text = "  {\n";
  const auto put = [&](const char* key, const std::string& value) {
    text += fmt::format("   \"{}\": {},\n", key, value);
  };
  put("kernel", line(row.problem.kernel));
  put("shape", line(row.problem.dims));
  put("facts", line(Json::parse(to_json(row.problem.facts))));
  put("regime", line(row.regime));
  put("run", line(run_json(entry)));
  put("work", line({{"bytes_read", row.bytes_read},
                    {"bytes_written", row.bytes_written},
                    {"flops", row.flops},
                    {"bound_by", row.bound_by}}));
  put("counts", line({{"candidates", row.candidates}, {"measured", row.measured}, {"rejected", row.rejected}}));
  put("ceiling", line(Json::parse(to_json(row.ceiling))));
  put("baselines", line(Json::parse(baselines)));
  put("before", line(Json::parse(to_json(row.before))));
  put("after", line(Json::parse(to_json(row.after))));
  put("winner", line(number_of(entry, row.winner)));
  put("default", line(number_of(entry, row.default_trial)));
  put("incumbent", line(number_of(entry, row.incumbent)));
  put("tied", line(tied));
  put("margin", line(row.margin));
  put("noise_floor", line(row.noise_floor));
  // Keys that older files lack stand only where there is something to say.
  if (!row.objective.empty()) put("objective", line(row.objective));
  if (!row.search.empty()) put("search", line(row.search));
  if (row.traveller != 0) {
    put("traveller", line(number_of(entry, row.traveller)));
    put("losses", line({{"neighbours", row.loss_neighbours},
                        {"expected", row.expected_loss},
                        {"default", row.default_loss},
                        {"worst", row.worst_loss}}));
  }
  // What was found to give the same binary since stands for what the row was made with.
  const KernelHashes made{row.closure_hash, row.manifest_hash};
  const KernelHashes& holds = entry.found_again.closure.empty() ? made : entry.found_again;
  if (!holds.closure.empty()) put("hashes", line({{"closure", holds.closure}, {"manifest", holds.manifest}}));
  text += "   \"trials\": [\n";
  for (std::size_t i = 0; i < entry.trials.size(); ++i)
    text += "    " + trial_line(entry, entry.trials[i]) + (i + 1 < entry.trials.size() ? ",\n" : "\n");
  return text + "   ]\n  }";
}

}  // namespace

std::string write_results(const std::vector<Entry>& entries, const Overrules& overrules) {
  std::vector<Entry> rows;
  for (const Entry& entry : entries)
    if (entry.result.winner != 0) rows.push_back(entry);
  sort_entries(rows);
  if (rows.empty()) throw UserError("there is no result to write", {}, "run `tuner sweep` first");
  for (const Entry& entry : rows) {
    if (gpu_key(entry.gpu) != gpu_key(rows.front().gpu))
      throw UserError("a results file is of one GPU model; these are of '" + rows.front().gpu.name + "' and '" +
                          entry.gpu.name + "'",
                      {}, "name one with --gpu");
  }
  std::string text = "{\n \"tuner\": 1,\n \"gpu\": " + line(model_json(rows.front().gpu)) + ",\n \"results\": [\n";
  for (std::size_t i = 0; i < rows.size(); ++i) text += result_text(rows[i]) + (i + 1 < rows.size() ? ",\n" : "\n");
  text += " ]";
  if (!overrules.pins.empty() || !overrules.forbids.empty()) text += ",\n" + overrules_lists(overrules);
  return text + "\n}\n";
}

}  // namespace tuner::store
