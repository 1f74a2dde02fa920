#include "report/json_report.h"

#include <map>
#include <nlohmann/json.hpp>

#include "report/figures.h"
#include "report/metric_text.h"

namespace tuner::report {
namespace {

using Json = nlohmann::ordered_json;

Json embedded(const std::string& text) { return Json::parse(text); }
Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json trial_json(const Trial& trial, const tune::ProblemDone& done, bool emulated) {
  const ProblemResult& result = done.result;
  const auto metrics = done.metrics.find(trial.id);
  const bool timed = !emulated && trial.time_us > 0;
  const Figures figures = figures_of(timed ? trial.time_us : 0, trial.spread, result);
  Json json;
  json["trial"] = trial.id;
  json["params"] = embedded(to_json(trial.config));
  json["status"] = to_text(trial.status);
  json["reason"] = trial.reason == Reason::none ? Json(nullptr) : Json(to_text(trial.reason));
  json["detail"] = trial.detail;
  json["duplicate_of"] = trial.duplicate_of ? Json(trial.duplicate_of) : Json(nullptr);
  json["time_us"] = timed ? Json(trial.time_us) : Json(nullptr);
  json["spread"] = timed ? Json(trial.spread) : Json(nullptr);
  json["cost"] = timed && trial.cost > 0 ? Json(trial.cost) : Json(nullptr);
  json["rounds"] = trial.rounds;
  json["finalist"] = trial.finalist;
  json["gb_per_s"] = optional_number(figures.gb_per_s);
  json["mbu"] = optional_number(figures.mbu);
  json["sol"] = optional_number(figures.sol);
  json["metrics"] = embedded(metrics_json(metrics == done.metrics.end() ? std::vector<Metric>{} : metrics->second));
  json["registers"] = trial.registers;
  json["spill_bytes"] = trial.spill_bytes;
  json["shared_bytes"] = trial.static_shared_bytes;
  json["max_err_over_bound"] = trial.max_err_over_bound;
  json["max_rel_err"] = trial.max_rel_err;
  json["exact_only"] = trial.exact_only;
  return json;
}

Json problem_json(const tune::ProblemDone& done, bool emulated) {
  const ProblemResult& result = done.result;
  Json json;
  json["kernel"] = result.problem.kernel;
  json["shape"] = result.problem.dims;
  json["facts"] = embedded(to_json(result.problem.facts));
  json["regime"] = result.regime;
  json["objective"] = result.objective.empty() ? Json(nullptr) : Json(result.objective);
  json["winner"] = result.winner ? Json(result.winner) : Json(nullptr);
  json["default"] = result.default_trial ? Json(result.default_trial) : Json(nullptr);
  json["tied"] = result.tied;
  json["margin"] = result.margin;
  json["noise_floor"] = result.noise_floor;
  json["ceiling_gb_per_s"] = emulated ? Json(nullptr) : Json(result.ceiling.sustained_gb_per_s);
  json["ceiling_from"] = emulated ? Json(nullptr) : Json(result.ceiling.from);
  json["probe_us"] = emulated ? Json(nullptr) : Json(result.ceiling.probe_us);
  json["ceiling_tflop_per_s"] = result.ceiling.tflop_per_s > 0 ? Json(result.ceiling.tflop_per_s) : Json(nullptr);
  json["baselines"] = Json::array();
  for (const Baseline& baseline : result.baselines)
    json["baselines"].push_back({{"name", baseline.name},
                                 {"time_us", baseline.time_us},
                                 {"spread", baseline.spread},
                                 {"detail", baseline.detail}});
  json["search"] = result.search.empty() ? Json(nullptr) : Json(result.search);
  json["candidates"] = result.candidates;
  json["measured"] = result.measured;
  json["rejected"] = result.rejected;
  std::map<std::string, int> reasons;
  for (const Trial& trial : done.trials)
    if (trial.status == Status::rejected) ++reasons[std::string(to_text(trial.reason))];
  json["rejected_by_reason"] = reasons;
  json["seconds"] = done.seconds;
  if (!done.device.empty()) json["device"] = done.device;
  json["trials"] = Json::array();
  for (const Trial& trial : done.trials) json["trials"].push_back(trial_json(trial, done, emulated));
  return json;
}

}  // namespace

struct JsonReport::Document {
  Json json;
  bool emulated = false;
};

JsonReport::JsonReport(std::ostream& out) : out_(out), document_(std::make_unique<Document>()) {
  document_->json["schema"] = 1;
  document_->json["device"] = nullptr;
  document_->json["problems"] = Json::array();
  document_->json["warnings"] = Json::array();
}
JsonReport::~JsonReport() = default;

void JsonReport::on_device(const tune::DeviceEvent& event) {
  document_->emulated = event.emulated;
  Json device = {
      {"gpu", event.gpu.name},          {"arch", event.gpu.arch ? Json(arch_text(event.gpu.arch)) : Json(nullptr)},
      {"sm_count", event.gpu.sm_count}, {"driver", event.gpu.driver},
      {"nvrtc", event.nvrtc},           {"emulated", event.emulated}};
  if (document_->json["device"].is_null()) document_->json["device"] = device;
  if (event.device.empty()) return;
  device["device"] = event.device;
  document_->json["devices"].push_back(device);
}

void JsonReport::on_plan(const tune::PlanEvent& event) {
  const Json before = document_->json.value("plan", Json::object());  // another model's
  const auto sum = [&](const char* name, std::int64_t value) { return value + before.value(name, std::int64_t{0}); };
  document_->json["plan"] = {{"problems", sum("problems", event.problems)},
                             {"finished_before", sum("finished_before", event.finished_before)},
                             {"candidates", sum("candidates", event.candidates)},
                             {"distinct_sources", sum("distinct_sources", event.distinct_sources)},
                             {"database", event.database}};
}

void JsonReport::on_problem_done(const tune::ProblemDone& done) {
  document_->json["problems"].push_back(problem_json(done, document_->emulated));
}

void JsonReport::on_warning(const std::string& warning) { document_->json["warnings"].push_back(warning); }

void JsonReport::on_done(const tune::SweepDone& done) {
  document_->json["done"] = {{"problems", done.problems},
                             {"without_winner", done.without_winner},
                             {"trials", done.trials},
                             {"seconds", done.seconds},
                             {"run", done.runs.empty() ? 0 : done.runs.front()},
                             {"interrupted", done.interrupted}};
  if (done.runs.size() > 1) document_->json["done"]["runs"] = done.runs;
  Json spent = Json::object();
  for (const auto& [work, seconds] : done.spent) spent[work] = seconds;
  document_->json["done"]["spent"] = spent;
  out_ << document_->json.dump(2, ' ', false, Json::error_handler_t::replace) << std::endl;
}

void Fan::on_device(const tune::DeviceEvent& event) {
  for (tune::Observer* observer : observers_) observer->on_device(event);
}
void Fan::on_wait(const tune::WaitEvent& event) {
  for (tune::Observer* observer : observers_) observer->on_wait(event);
}
void Fan::on_plan(const tune::PlanEvent& event) {
  for (tune::Observer* observer : observers_) observer->on_plan(event);
}
void Fan::on_problem(const tune::ProblemEvent& event) {
  for (tune::Observer* observer : observers_) observer->on_problem(event);
}
void Fan::on_progress(const tune::ProgressEvent& event) {
  for (tune::Observer* observer : observers_) observer->on_progress(event);
}
void Fan::on_problem_done(const tune::ProblemDone& done) {
  for (tune::Observer* observer : observers_) observer->on_problem_done(done);
}
void Fan::on_warning(const std::string& warning) {
  for (tune::Observer* observer : observers_) observer->on_warning(warning);
}
void Fan::on_done(const tune::SweepDone& done) {
  for (tune::Observer* observer : observers_) observer->on_done(done);
}

}  // namespace tuner::report
