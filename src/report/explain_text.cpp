#include "report/explain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/figures.h"
#include "report/format.h"
#include "report/metric_text.h"
#include "report/profile_text.h"
#include "report/step_text.h"
#include "report/table.h"
#include "report/visible.h"

namespace tuner::report {
namespace {

using Json = nlohmann::ordered_json;

std::string explain_row(std::string_view name, const std::string& value) {
  return fmt::format("  {:<10}{}{}\n", name, name.size() < 10 ? "" : " ", one_line(value));
}

std::string indented(const std::string& text) {
  std::string out = "    ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "    ";
  }
  out.erase(out.find_last_not_of(" \n") + 1);
  return out + "\n";
}

bool is_tied(const Explanation& e) {
  return e.result && std::find(e.result->tied.begin(), e.result->tied.end(), e.trial.id) != e.result->tied.end();
}

// The times of a duplicate are those of the trial it is a duplicate of.
const Trial& timed(const Explanation& e) { return e.twin ? *e.twin : e.trial; }

std::string why_it_lost(const Explanation& e) {
  if (!e.result || !e.winner || e.emulated) return {};
  if (e.result->winner == e.trial.id) return "it is the winner";
  const Trial& trial = timed(e);
  if (trial.time_us <= 0 || e.winner->time_us <= 0) return {};
  const std::string& objective = e.result->objective;
  if (!objective.empty() && (trial.cost <= 0 || e.winner->cost <= 0)) return {};  // it was ranked by something else
  const double ratio = objective.empty() ? trial.time_us / e.winner->time_us : trial.cost / e.winner->cost;
  if (is_tied(e))
    return fmt::format(
        "tied with the winner (trial {}) within {}; the winner was preferred: incumbent, default, fewer "
        "registers x threads, less shared memory, manifest order",
        trial_name(e.layer, e.winner->id), percent(e.result->margin));
  std::string text = ratio < 2 ? fmt::format("{:.1f}% slower than the winner", (ratio - 1) * 100)
                               : fmt::format("takes {:.1f} times as long as the winner", ratio);
  if (!objective.empty()) text = fmt::format("{:.1f}% worse than the winner by {}", (ratio - 1) * 100, objective);
  text += fmt::format(", trial {} ({})", trial_name(e.layer, e.winner->id), e.winner->config.label());
  if (trial.status == Status::eliminated)
    text += trial.rounds <= 1
                ? (objective.empty() ? "; left after its first replay, over three times slower than the leader"
                                     : "; left after its first replay, over three times worse than the leader")
                : "; eliminated";
  if (trial.rounds > 1)
    text += fmt::format("; spread ±{:.1f}% against ±{:.1f}%", trial.spread * 100, e.winner->spread * 100);
  return text;
}

// The suggestion is for the winner; on another page it would only be in the way, but on its own.
bool stands_beside(const Explanation& e) {
  return (e.winner && e.winner->id == e.trial.id) || e.suggested->config == e.trial.config;
}

std::string time_rows(const Explanation& e) {
  const Trial& trial = timed(e);
  if (e.emulated || trial.time_us <= 0) return {};
  std::string text = time_text(trial.time_us);
  if (trial.rounds > 1) text.append(" ").append(spread_text(trial.spread));
  text.append(" over ").append(count(trial.rounds, "round", "rounds"));
  if (e.result) {
    const Figures f = figures_of(trial.time_us, trial.spread, *e.result);
    if (f.gb_per_s) text += ", " + rate(*f.gb_per_s) + " GB/s";
    if (f.mbu) text += ", mbu " + percent(*f.mbu);
    if (f.sol) text += ", sol " + percent(*f.sol);
  }
  std::string rows = explain_row("time", text);
  for (const Metric& metric : e.metrics)
    rows += explain_row(metric.name, metric_text(metric) + (metric.value ? "" : ": " + metric.why));
  return rows;
}

std::string waves_text(const compile::Waves& w, const Explanation& e) {
  std::string text =
      fmt::format("{:.2f}: {}, {} fit at once ({} on each of {} SMs)", w.waves, count(w.blocks, "block", "blocks"),
                  w.at_once, e.occupancy->blocks_per_sm, e.gpu.sm_count);
  if (w.tail > 0)
    text += fmt::format("; {:.0f}% of the {} empty", w.tail * 100, w.waves < 1 ? "GPU stays" : "last wave is");
  return text;
}

std::string in_flight_text(const compile::InFlight& f) {
  const double share = f.bytes_an_sm / f.needed_an_sm;
  std::string text = fmt::format(
      "{:.1f} KB an SM at least; {} GB/s ({}) x {:.0f} ns ({}) need {:.1f} KB: ", f.bytes_an_sm / 1e3, rate(f.gb_per_s),
      f.measured ? "measured" : "rated", f.latency_ns, f.latency_from, f.needed_an_sm / 1e3);
  return text + (share >= 1 ? "enough" : fmt::format("{:.0f}%, so the latency of memory shows", share * 100));
}

std::string reread_text(const compile::Reread& r, const std::optional<ProblemResult>& result) {
  std::string text = fmt::format("{:.1f} KB a block x {} = {:.1f} MB, L2 has {:.1f} MB: ", r.bytes_a_block / 1e3,
                                 count(r.blocks, "block", "blocks"), r.waiting / 1e6, r.l2_bytes / 1e6);
  if (!r.spills()) return text + "it comes from there";
  text += "it comes from memory";
  const double once = result ? result->bytes_read + result->bytes_written : 0;
  if (once > 0)
    text += fmt::format("; {:.1f} MB in all where {:.1f} MB would do, so mbu is {:.1f}% at most", (once + r.all) / 1e6,
                        once / 1e6, 100 * once / (once + r.all));
  return text;
}

std::string counters_text(const Explanation& e) {
  const std::string& counted = e.counters->cubin_hash;
  const std::string& own = e.trial.cubin_hash;
  const bool other = !counted.empty() && !own.empty() && counted != own;
  return counters_line(*e.counters) + (other ? "; of another binary than this trial's" : "");
}

std::string resource_rows(const Explanation& e) {
  const Trial& trial = e.trial;
  std::string out;
  if (trial.registers > 0)
    out += explain_row("uses", fmt::format("{} registers a thread, {} spilled, {} shared memory", trial.registers,
                                           bytes_text(trial.spill_bytes), bytes_text(trial.static_shared_bytes)));
  if (e.occupancy && e.occupancy->blocks_per_sm > 0)
    out += explain_row("occupancy", fmt::format("{:.0f}%, {}, limited by {}", e.occupancy->occupancy * 100,
                                                count(e.occupancy->blocks_per_sm, "block an SM", "blocks an SM"),
                                                e.occupancy->limiter));
  if (e.waves) out += explain_row("waves", waves_text(*e.waves, e));
  if (e.in_flight) out += explain_row("in flight", in_flight_text(*e.in_flight));
  if (e.reread) out += explain_row("reread", reread_text(*e.reread, e.result));
  if (e.counters) out += explain_row("counters", counters_text(e));
  return out;
}

std::string status_rows(const Explanation& e) {
  const Trial& trial = e.trial;
  std::string status(to_text(trial.status));
  if (trial.status == Status::duplicate)
    status += fmt::format(" of trial {}: the same binary and launch", trial_name(e.layer, trial.duplicate_of));
  if (trial.exact_only) status += " at its own shape, wrong at another";
  if (trial.status == Status::started)
    status += ": in flight when its process ended; a sweep of the problem runs it again";
  std::string out = explain_row("status", status);
  if (trial.reason != Reason::none) {
    out += explain_row("reason", std::string(title(trial.reason)));
    if (!trial.detail.empty()) out += explain_row("detail", trial.detail);
    // A hint to look here is for other pages.
    const std::string_view advice = hint(trial.reason);
    if (!advice.empty() && advice.rfind("tuner explain", 0) != 0) out += explain_row("hint", std::string(advice));
  } else if (!trial.detail.empty()) {
    out += explain_row("detail", trial.detail);
    if (trial.exact_only) out += explain_row("hint", std::string(hint(Reason::exact_only)));
  }
  if (trial.max_err_over_bound > 0)
    out += explain_row("error", fmt::format("{:.3g} of the bound, {:.3g} relative at most", trial.max_err_over_bound,
                                            trial.max_rel_err));
  return out;
}

}  // namespace

std::string explain_text(const Explanation& e, const Style& style) {
  const Trial& trial = e.trial;
  std::string out = style.bold(fmt::format("trial {}: {} {} on {}", trial_name(e.layer, trial.id), trial.problem.kernel,
                                           shape_text(trial.problem.dims), e.gpu.name)) +
                    "\n";
  std::string body = explain_row("config", trial.config.label());
  if (!trial.problem.facts.empty()) body += explain_row("facts", facts_key(trial.problem.facts));
  for (const auto& [step, times] : runs_of(trial.steps))
    if (step.kind == Step::Kind::launch)
      body += explain_row("launch", fmt::format("{}{} grid {}x{}x{} block {}x{}x{} shared {}{}",
                                                times > 1 ? fmt::format("{} times ", times) : "", step.entry,
                                                step.grid.x, step.grid.y, step.grid.z, step.block.x, step.block.y,
                                                step.block.z, bytes_text(step.shared_bytes), launch_extras(step)));
  body += status_rows(e) + time_rows(e);
  const std::string lost = why_it_lost(e);
  if (!lost.empty()) body += explain_row("verdict", lost);
  if (e.suggested && stands_beside(e)) body += explain_row("beside", suggestion_text(*e.suggested));
  for (const std::string& said : e.overruled) body += explain_row("people", said);
  body += resource_rows(e);
  if (!e.when.empty()) body += explain_row("run", e.when);
  if (!trial.log.empty()) body += "  log\n" + indented(trial.log);
  return out + style.text(body);
}

namespace {

void add_launch(nlohmann::ordered_json& json, const Explanation& e) {
  const auto put = [&json](const char* key, bool known, auto value) {
    if (known) {
      json[key] = value;
    } else {
      json[key] = nullptr;
    }
  };
  const compile::Waves w = e.waves.value_or(compile::Waves{});
  put("blocks_per_sm", e.occupancy.has_value(), e.occupancy ? e.occupancy->blocks_per_sm : 0);
  put("blocks", e.waves.has_value(), w.blocks);
  put("blocks_at_once", e.waves.has_value(), w.at_once);
  put("waves", e.waves.has_value(), w.waves);
  put("tail", e.waves.has_value(), w.tail);
  const compile::InFlight f = e.in_flight.value_or(compile::InFlight{});
  put("bytes_in_flight_per_sm", e.in_flight.has_value(), f.bytes_an_sm);
  put("bytes_needed_per_sm", e.in_flight.has_value(), f.needed_an_sm);
  put("bandwidth_gb_per_s", e.in_flight.has_value(), f.gb_per_s);
  put("latency_ns", e.in_flight.has_value(), f.latency_ns);
  const compile::Reread r = e.reread.value_or(compile::Reread{});
  put("bytes_read_again_waiting", e.reread.has_value(), r.waiting);
  put("bytes_read_again", e.reread.has_value(), r.all);
  put("l2_bytes", e.reread.has_value(), r.l2_bytes);
}

}  // namespace

std::string explain_json(const Explanation& e) {
  const Trial& trial = e.trial;
  const bool has_time = !e.emulated && timed(e).time_us > 0;
  const Figures f = has_time && e.result ? figures_of(timed(e).time_us, timed(e).spread, *e.result) : Figures{};
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  Json json{{"schema", 1},
            {"trial", trial.id},
            {"kernel", trial.problem.kernel},
            {"gpu", e.gpu.name},
            {"shape", trial.problem.dims},
            {"facts", Json::parse(to_json(trial.problem.facts))},
            {"regime", trial.regime},
            {"params", Json::parse(to_json(trial.config))},
            {"status", to_text(trial.status)},
            {"reason", trial.reason == Reason::none ? Json(nullptr) : Json(to_text(trial.reason))},
            {"detail", trial.detail},
            {"log", trial.log}};
  json["duplicate_of"] = trial.duplicate_of ? Json(trial.duplicate_of) : Json(nullptr);
  json["time_us"] = has_time ? Json(timed(e).time_us) : Json(nullptr);
  json["spread"] = has_time ? Json(timed(e).spread) : Json(nullptr);
  json["samples_us"] = e.emulated ? std::vector<float>{} : timed(e).samples_us;
  json["gb_per_s"] = number(f.gb_per_s);
  json["mbu"] = number(f.mbu);
  json["sol"] = number(f.sol);
  json["metrics"] = Json::parse(metrics_json(e.metrics));
  json["objective"] = e.result && !e.result->objective.empty() ? Json(e.result->objective) : Json(nullptr);
  json["cost"] = has_time && timed(e).cost > 0 ? Json(timed(e).cost) : Json(nullptr);
  json["winner"] = e.winner ? Json(e.winner->id) : Json(nullptr);
  json["slower_than_winner"] =
      has_time && e.winner && e.winner->time_us > 0 ? Json(timed(e).time_us / e.winner->time_us - 1) : Json(nullptr);
  json["tied"] = is_tied(e);
  json["registers"] = trial.registers;
  json["spill_bytes"] = trial.spill_bytes;
  json["shared_bytes"] = trial.static_shared_bytes;
  json["occupancy"] = e.occupancy ? Json(e.occupancy->occupancy) : Json(nullptr);
  json["limiter"] = e.occupancy ? Json(e.occupancy->limiter) : Json(nullptr);
  add_launch(json, e);
  json["counters"] = Json::parse(counters_json(e.counters));
  json["occupancy_suggests"] = Json::parse(suggestion_json(e.suggested));
  json["overruled"] = e.overruled;
  json["emulated"] = e.emulated;
  json["layer"] = e.layer;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

std::vector<const Explanation*> timed_first(const std::vector<Explanation>& all) {
  std::vector<const Explanation*> sorted;
  for (const Explanation& e : all) sorted.push_back(&e);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Explanation* left, const Explanation* right) {
    const double a = left->trial.time_us;
    const double b = right->trial.time_us;
    return (a > 0) != (b > 0) ? a > 0 : a < b;
  });
  return sorted;
}

}  // namespace

std::string trial_name(const std::string& layer, std::int64_t id) {
  return layer == "user" ? std::to_string(id) : layer + ":" + std::to_string(id);
}

std::string trials_text(const std::vector<Explanation>& all, const Style& style) {
  const bool several =
      std::any_of(all.begin(), all.end(), [&all](const Explanation& e) { return e.gpu.name != all.front().gpu.name; });
  Table table({{"trial"}, {"config", false, true}, {"status", false}, {"reason", false}, {"time"}, {"GPU", false}});
  for (const Explanation* e : timed_first(all)) {
    const Trial& trial = e->trial;
    table.add({trial_name(e->layer, trial.id), trial.config.label(),
               std::string(to_text(trial.status)) + (trial.exact_only ? ", this shape only" : ""),
               trial.reason == Reason::none ? "" : std::string(title(trial.reason)),
               trial.time_us > 0 ? time_text(trial.time_us) : "", several ? e->gpu.name : ""});
  }
  return table.text(style);
}

std::string trials_json(const std::vector<Explanation>& all) {
  Json document{{"schema", 1}, {"trials", Json::array()}};
  for (const Explanation* e : timed_first(all)) {
    const Trial& trial = e->trial;
    document["trials"].push_back({{"trial", trial.id},
                                  {"layer", e->layer},
                                  {"gpu", e->gpu.name},
                                  {"params", Json::parse(to_json(trial.config))},
                                  {"status", to_text(trial.status)},
                                  {"reason", trial.reason == Reason::none ? Json(nullptr) : to_text(trial.reason)},
                                  {"time_us", trial.time_us > 0 ? Json(trial.time_us) : Json(nullptr)}});
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string source_json(const Explanation& e, const std::string& source) {
  const Trial& trial = e.trial;
  const Json document{{"schema", 1},
                      {"trial", trial.id},
                      {"layer", e.layer},
                      {"kernel", trial.problem.kernel},
                      {"shape", trial.problem.dims},
                      {"params", Json::parse(to_json(trial.config))},
                      {"source", source}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
