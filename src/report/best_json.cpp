#include "report/best_json.h"

#include <nlohmann/json.hpp>

#include "report/figures.h"
#include "report/metric_text.h"
#include "report/step_text.h"

namespace tuner::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }
Json positive(double value) { return value > 0 ? Json(value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json query_json(const store::Query& query) {
  return {{"kernel", text_or_null(query.kernel)},
          {"shape", query.dims},
          {"gpu", text_or_null(query.gpu)},
          {"regime", query.regime},
          {"facts", Json::parse(to_json(query.facts))}};
}

Json steps_json(const std::vector<Step>& steps) {
  Json json = Json::array();
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::memset) {
      json.push_back({{"memset", step.argument}, {"byte", step.byte}});
      continue;
    }
    json.push_back({{"entry", step.entry},
                    {"grid", {step.grid.x, step.grid.y, step.grid.z}},
                    {"block", {step.block.x, step.block.y, step.block.z}},
                    {"shared_bytes", step.shared_bytes}});
    json.back().update(Json::parse(launch_extras_json(step)));
  }
  return json;
}

// Null for all where there is no time to show.
void add_times(Json& json, const store::Answer& answer) {
  const ProblemResult none;
  const bool timed = has_time(answer);
  const ProblemResult& result = timed ? answer.entry->result : none;
  const Figures f = timed ? figures_of(answer.trial->time_us, answer.trial->spread, result) : Figures{};
  double default_us = 0, vendor_us = 0;
  if (timed) {
    const Trial* own = find_trial(answer.entry->trials, result.default_trial);
    const Trial* twin = own ? timed_twin(*own, answer.entry->trials) : nullptr;
    default_us = twin ? twin->time_us : 0;
    for (const Baseline& baseline : result.baselines)
      if (baseline.name == "cublas") vendor_us = baseline.time_us;
  }
  json["bound_by"] = answer.entry ? Json(answer.entry->result.bound_by) : Json(nullptr);
  json["time_us"] = positive(f.time_us);
  json["spread"] = timed ? Json(f.spread) : Json(nullptr);
  json["gb_per_s"] = number(f.gb_per_s);
  json["ceiling_gb_per_s"] = positive(result.ceiling.sustained_gb_per_s);
  json["ceiling_from"] = timed ? Json(result.ceiling.from) : Json(nullptr);
  json["mbu"] = number(f.mbu);
  json["sol"] = number(f.sol);
  json["tflop_per_s"] = number(f.tflop_per_s);
  json["ceiling_tflop_per_s"] = positive(result.ceiling.tflop_per_s);
  json["metrics"] = Json::parse(metrics_json(answer.metrics));
  json["objective"] = answer.entry ? text_or_null(answer.entry->result.objective) : Json(nullptr);
  json["regime"] = answer.regime;
  json["speedup_vs_default"] = timed ? positive(default_us / f.time_us) : Json(nullptr);
  json["default_forbidden"] = answer.default_forbidden;
  json["margin"] = timed ? Json(result.margin) : Json(nullptr);
  json["search"] = timed && !result.search.empty() ? Json(result.search) : Json(nullptr);
  json["tied"] = timed ? Json(result.tied.size()) : Json(nullptr);
  json["vendor_time_us"] = positive(vendor_us);
}

Json answer_json(const store::Answer& answer, const Beside& beside) {
  const Trial* trial = answer.trial;
  const store::Entry* entry = answer.entry;
  Json json;
  json["kernel"] = answer.problem.kernel;
  json["gpu"] = text_or_null(answer.gpu.name);
  json["arch"] = answer.gpu.arch ? Json(arch_text(answer.gpu.arch)) : Json(nullptr);
  json["shape"] = answer.problem.dims;
  json["facts"] = Json::parse(to_json(answer.problem.facts));
  json["match"] = store::to_text(answer.match);
  json["layer"] = text_or_null(answer.layer);
  json["tuned_shape"] = answer.tuned_dims.empty() ? Json(nullptr) : Json(answer.tuned_dims);
  json["tuned_gpu"] = text_or_null(answer.tuned_gpu);
  json["distance"] = answer.distance;
  json["expected_loss"] = answer.expected_loss >= 0 ? Json(answer.expected_loss) : Json(nullptr);
  json["cost"] = number(answer.cost);
  json["why"] = answer.pin ? Json(answer.pin->why) : Json(nullptr);
  json["unverified"] = answer.unverified;
  json["rejected"] = text_or_null(answer.rejected);
  json["forbidden"] = Json::array();
  for (const store::Forbid* forbid : answer.forbidden)
    json["forbidden"].push_back(
        {{"params", Json::parse(to_json(forbid->params))}, {"why", forbid->why}, {"layer", forbid->layer}});
  json["params"] = Json::parse(to_json(answer.config));
  json["steps"] = steps_json(answer.steps);
  add_times(json, answer);
  json["occupancy_suggests"] = Json::parse(suggestion_json(has_time(answer) ? beside(answer) : std::nullopt));
  json["max_err_over_bound"] = trial ? Json(trial->max_err_over_bound) : Json(nullptr);
  json["max_rel_err"] = trial ? Json(trial->max_rel_err) : Json(nullptr);
  json["registers"] = trial ? Json(trial->registers) : Json(nullptr);
  json["spill_bytes"] = trial ? Json(trial->spill_bytes) : Json(nullptr);
  json["emulated"] = entry ? entry->emulated : false;
  if (!is_from_row(answer)) entry = nullptr;
  json["tuned_at"] = entry ? text_or_null(entry->tuned_at) : Json(nullptr);
  json["driver"] = entry ? text_or_null(entry->driver) : Json(nullptr);
  json["nvrtc"] = entry ? text_or_null(entry->nvrtc) : Json(nullptr);
  json["state"] = answer.state;
  json["changed"] = answer.changed;
  return json;
}

}  // namespace

std::string best_json(const std::vector<store::Answer>& answers, const store::Query& query, const Beside& beside) {
  Json document{{"schema", 1}, {"query", query_json(query)}, {"results", Json::array()}};
  for (const store::Answer& answer : answers) document["results"].push_back(answer_json(answer, beside));
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
