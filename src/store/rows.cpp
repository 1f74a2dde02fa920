#include "store/rows.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/hash.h"

namespace tuner::store {
namespace {

using Json = nlohmann::ordered_json;

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// The database's own JSON; text that is not is damage, not bad usage of a flag.
Json parse(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw UserError("a stored JSON text is damaged");
  return json;
}

// What `read` makes of a stored JSON text. A value of another type is damage too.
template <class F>
auto reading(std::string_view text, F&& read) {
  const Json json = parse(text);
  try {
    return read(json);
  } catch (const Json::exception&) {
    throw UserError("a stored JSON text has a value of the wrong type");
  }
}

// With the place of what cannot be read.
template <class F>
auto placed(const Statement& row, const char* what, std::int64_t id, F&& read) {
  try {
    return read();
  } catch (const UserError& error) {
    throw UserError(
        error.what(), row.path() + ", " + what + " " + std::to_string(id),
        error.hint().empty() ? "the database is damaged: move it away, or name another with --db" : error.hint());
  }
}

std::vector<std::int64_t> dims_of(const std::string& shape) { return parse_shape(shape, "database"); }

template <class Enum>
Enum known(std::optional<Enum> value, const std::string& text) {
  if (!value) throw UserError("the database holds the unknown word '" + text + "'", {}, "it may be a newer tuner's");
  return *value;
}

}  // namespace

void bind_hash(Statement& statement, int at, std::string_view hash) {
  std::string bytes;
  if (hash.size() == 32) {
    for (std::size_t i = 0; i < 32; i += 2) {
      const int high = digit(hash[i]);
      const int low = digit(hash[i + 1]);
      if (high < 0 || low < 0) break;
      bytes += static_cast<char>(high * 16 + low);
    }
  }
  if (bytes.size() == 16) {
    statement.bind_blob(at, bytes);
  } else {
    statement.bind_or_null(at, hash);
  }
}

std::string read_hash(const Statement& statement, int column) {
  std::string bytes = statement.text(column);
  if (!statement.is_blob(column)) return bytes;
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string pack_samples(const std::vector<float>& samples) {
  std::string bytes(samples.size() * sizeof(float), '\0');
  if (!samples.empty()) std::memcpy(bytes.data(), samples.data(), bytes.size());
  return bytes;
}

std::vector<float> unpack_samples(std::string_view bytes) {
  std::vector<float> samples(bytes.size() / sizeof(float));
  if (!samples.empty()) std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(float));
  return samples;
}

std::string to_json(const Ceiling& ceiling) {
  Json json{{"sustained_gb_per_s", ceiling.sustained_gb_per_s},
            {"probe_us", ceiling.probe_us},
            {"probe_no_x_us", ceiling.probe_no_x_us},
            {"best_gb_per_s", ceiling.best_gb_per_s},
            {"probe_config", ceiling.probe_config},
            {"from", ceiling.from}};
  if (ceiling.tflop_per_s > 0) json.update({{"tflop_per_s", ceiling.tflop_per_s}, {"arithmetic", ceiling.arithmetic}});
  return dump(json);
}

Ceiling ceiling_from_json(std::string_view text) {
  return reading(text, [](const Json& json) {
    Ceiling ceiling;
    ceiling.sustained_gb_per_s = json.value("sustained_gb_per_s", 0.0);
    ceiling.probe_us = json.value("probe_us", 0.0);
    ceiling.probe_no_x_us = json.value("probe_no_x_us", 0.0);
    ceiling.best_gb_per_s = json.value("best_gb_per_s", 0.0);
    ceiling.probe_config = json.value("probe_config", std::string());
    ceiling.from = json.value("from", std::string("probe"));
    ceiling.tflop_per_s = json.value("tflop_per_s", 0.0);
    ceiling.arithmetic = json.value("arithmetic", std::string());
    return ceiling;
  });
}

std::string to_json(const std::vector<Baseline>& baselines) {
  Json json = Json::array();
  for (const auto& b : baselines) {
    Json samples = Json::array();
    for (const float us : b.samples_us) samples.push_back(us);
    json.push_back(Json{
        {"name", b.name}, {"time_us", b.time_us}, {"spread", b.spread}, {"detail", b.detail}, {"samples_us", samples}});
  }
  return dump(json);
}

std::vector<Baseline> baselines_from_json(std::string_view text) {
  return reading(text, [](const Json& list) {
    std::vector<Baseline> baselines;
    for (const Json& json : list) {
      baselines.push_back({json.value("name", std::string()), json.value("time_us", 0.0), json.value("spread", 0.0),
                           json.value("detail", std::string()), json.value("samples_us", std::vector<float>())});
    }
    return baselines;
  });
}

std::string ids_to_json(const std::vector<std::int64_t>& ids) { return dump(Json(ids)); }

std::vector<std::int64_t> ids_from_json(std::string_view text) {
  return reading(text, [](const Json& json) { return json.get<std::vector<std::int64_t>>(); });
}

std::int64_t find_gpu(Connection& db, const GpuFacts& gpu) {
  auto find = db.prepare("SELECT id FROM gpus WHERE key = ?");
  find.bind(1, gpu_key(gpu));
  return find.step() ? find.integer(0) : 0;
}

std::int64_t gpu_row(Connection& db, const GpuFacts& gpu) {
  if (const auto id = find_gpu(db, gpu); id != 0) return id;
  db.prepare("INSERT INTO gpus (key, name, arch, sm_count, memory_bytes, mig_profile) VALUES (?, ?, ?, ?, ?, ?)")
      .bind(1, gpu_key(gpu))
      .bind(2, gpu.name)
      .bind(3, std::int64_t{gpu.arch})
      .bind(4, std::int64_t{gpu.sm_count})
      .bind(5, gpu.memory_bytes)
      .bind(6, gpu.mig_profile)
      .run();
  return db.last_id();
}

std::int64_t find_problem(Connection& db, const Problem& problem) {
  auto find = db.prepare("SELECT id FROM problems WHERE kernel = ? AND shape = ? AND facts_key = ?");
  find.bind(1, problem.kernel).bind(2, shape_text(problem.dims)).bind(3, facts_key(problem.facts));
  return find.step() ? find.integer(0) : 0;
}

std::int64_t problem_row(Connection& db, const Problem& problem) {
  if (const auto id = find_problem(db, problem); id != 0) return id;
  db.prepare("INSERT INTO problems (kernel, shape, facts_key, facts) VALUES (?, ?, ?, ?)")
      .bind(1, problem.kernel)
      .bind(2, shape_text(problem.dims))
      .bind(3, facts_key(problem.facts))
      .bind(4, tuner::to_json(problem.facts))
      .run();
  return db.last_id();
}

std::int64_t execution_row(Connection& db, const std::vector<Step>& steps) {
  if (steps.empty()) return 0;
  const std::string text = tuner::to_json(steps);
  auto find = db.prepare("SELECT id FROM executions WHERE steps = ?");
  find.bind(1, text);
  if (find.step()) return find.integer(0);
  db.prepare("INSERT INTO executions (steps) VALUES (?)").bind(1, text).run();
  return db.last_id();
}

std::int64_t text_row(Connection& db, std::string_view hash, std::string_view kind, std::string_view name,
                      std::string_view body) {
  auto find = db.prepare("SELECT id FROM texts WHERE hash = ?");
  bind_hash(find, 1, hash);
  if (find.step()) return find.integer(0);
  auto insert = db.prepare("INSERT INTO texts (hash, kind, name, body) VALUES (?, ?, ?, ?)");
  bind_hash(insert, 1, hash);
  insert.bind(2, kind).bind(3, name).bind(4, body).run();
  return db.last_id();
}

const std::vector<Step>& steps_of(const std::string& text, KnownSteps& known) {
  const auto at = known.find(text);
  return at != known.end() ? at->second : known.emplace(text, steps_from_json(text)).first->second;
}

Trial read_trial(const Statement& row) {
  KnownSteps none;
  return read_trial(row, none);
}

namespace {

Trial trial_of(const Statement& row, KnownSteps& known_steps) {
  Trial trial;
  trial.id = row.integer(0);
  trial.problem = {row.text(1), dims_of(row.text(2)), facts_from_json(row.text(3))};
  trial.regime = row.text(4);
  trial.config = config_from_json(row.text(5));
  if (!row.is_null(6)) trial.steps = steps_of(row.text(6), known_steps);
  trial.status = known(status_from_text(row.text(7)), row.text(7));
  if (!row.is_null(8)) trial.reason = known(reason_from_text(row.text(8)), row.text(8));
  trial.detail = row.text(9);
  trial.log = row.text(10);
  trial.source_hash = read_hash(row, 11);
  trial.cubin_hash = read_hash(row, 12);
  trial.duplicate_of = row.integer(13);
  trial.registers = static_cast<int>(row.integer(14));
  trial.spill_bytes = static_cast<int>(row.integer(15));
  trial.static_shared_bytes = row.integer(16);
  trial.samples_us = unpack_samples(row.text(17));
  trial.time_us = row.real(18);
  trial.spread = row.real(19);
  trial.max_err_over_bound = row.real(20);
  trial.max_rel_err = row.real(21);
  trial.exact_only = row.integer(22) != 0;
  trial.finalist = row.integer(23) != 0;
  trial.is_default = row.integer(24) != 0;
  trial.deterministic = row.integer(25) != 0;
  trial.cost = row.real(26);
  trial.seconds = row.real(27);
  trial.rounds = static_cast<int>(trial.samples_us.size());
  return trial;
}

ProblemResult result_of(const Statement& row) {
  ProblemResult result;
  result.problem = {row.text(0), dims_of(row.text(1)), facts_from_json(row.text(2))};
  result.regime = row.text(3);
  result.winner = row.integer(4);
  result.default_trial = row.integer(5);
  result.incumbent = row.integer(6);
  result.tied = ids_from_json(row.text(7));
  result.margin = row.real(8);
  result.noise_floor = row.real(9);
  result.ceiling = ceiling_from_json(row.text(10));
  result.baselines = baselines_from_json(row.text(11));
  result.before = conditions_from_json(row.text(12));
  result.after = conditions_from_json(row.text(13));
  result.bytes_read = row.real(14);
  result.bytes_written = row.real(15);
  result.flops = row.real(16);
  result.bound_by = row.text(17);
  result.candidates = static_cast<int>(row.integer(18));
  result.measured = static_cast<int>(row.integer(19));
  result.rejected = static_cast<int>(row.integer(20));
  const auto loss = [&row](int column) { return row.is_null(column) ? -1 : row.real(column); };
  result.expected_loss = loss(21);
  result.default_loss = loss(22);
  result.worst_loss = loss(23);
  result.closure_hash = read_hash(row, 24);
  result.manifest_hash = read_hash(row, 25);
  result.traveller = row.integer(26);
  result.loss_neighbours = static_cast<int>(row.integer(27));
  result.objective = row.text(28);
  result.search = row.text(29);
  return result;
}

RunRecord run_of(const Statement& row, int first) {
  RunRecord run;
  run.id = row.integer(first);
  run.facts.gpu = gpu_from_json(row.text(first + 1));
  run.facts.device = row.text(first + 2);
  run.facts.nvrtc = row.text(first + 3);
  run.facts.tool_version = row.text(first + 4);
  run.facts.policy = static_cast<int>(row.integer(first + 5));
  run.facts.command = row.text(first + 6);
  run.facts.emulated = row.integer(first + 7) != 0;
  run.facts.shared_gpu = row.integer(first + 8) != 0;
  run.started_at = row.text(first + 9);
  run.finished_at = row.text(first + 10);
  run.outcome = row.text(first + 11);
  return run;
}

}  // namespace

Trial read_trial(const Statement& row, KnownSteps& known_steps) {
  return placed(row, "trial", row.integer(0), [&] { return trial_of(row, known_steps); });
}

ProblemResult read_result(const Statement& row) {
  return placed(row, "the result with trial", row.integer(4), [&] { return result_of(row); });
}

RunRecord read_run(const Statement& row, int first) {
  return placed(row, "run", row.integer(first), [&] { return run_of(row, first); });
}

}  // namespace tuner::store
