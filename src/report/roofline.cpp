#include "report/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "report/figures.h"
#include "report/format.h"
#include "report/table.h"
#include "store/store.h"

namespace tuner::report {
namespace {

struct Known {
  std::vector<Hierarchy> hierarchies;

  Roof roof(const GpuFacts& gpu, const std::string& arithmetic, bool copy) const {
    const auto h = std::find_if(hierarchies.begin(), hierarchies.end(),
                                [&](const Hierarchy& each) { return store::same_model(each.gpu, gpu); });
    const Hierarchy* own = h == hierarchies.end() ? nullptr : &*h;
    Roof roof;
    roof.arithmetic = arithmetic;
    if (const MeasuredCeiling* memory = own == nullptr ? nullptr : own->find(copy ? "probe_copy" : "probe_read"))
      roof.gb_per_s = memory->value;
    const MeasuredCeiling* reached = own == nullptr ? nullptr : own->arithmetic(arithmetic);
    if (reached == nullptr) return roof;
    roof.tflop_per_s = reached->value;
    roof.of = reached->probe->of;
    return roof;
  }
};

std::optional<RooflinePoint> point_of(const store::Entry& entry, const Known& known, const std::string& arithmetic) {
  const ProblemResult& result = entry.result;
  const Trial* winner = find_trial(entry.trials, result.winner);
  const Trial* timed = winner == nullptr ? nullptr : timed_twin(*winner, entry.trials);
  const double bytes = result.bytes_read + result.bytes_written;
  if (timed == nullptr || bytes <= 0 || result.flops <= 0) return std::nullopt;
  RooflinePoint point;
  point.entry = &entry;
  point.intensity = result.flops / bytes;
  point.tflop_per_s = result.flops / timed->time_us / 1e6;
  point.gb_per_s = bytes / timed->time_us / 1e3;
  point.roof = known.roof(entry.gpu, arithmetic, copies(result));
  return point;
}

std::string figure(double value) { return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0); }

std::string ridges_text(const Roofline& roofline) {
  std::string text;
  for (const Roof& roof : roofline.roofs) {
    const std::string reached = roof.tflop_per_s > 0 ? fmt::format("{} TFLOP/s ({})", figure(roof.tflop_per_s), roof.of)
                                                     : std::string("not measured");
    text += fmt::format("{:<11} {}", roof.arithmetic, reached);
    if (const auto ridge = roof.ridge())
      text += fmt::format(", {} GB/s: the ridge is at {} FLOP/B", rate(roof.gb_per_s), figure(*ridge));
    text += "\n";
  }
  return text;
}

std::string one_text(const Roofline& roofline, const Style& style) {
  Table table({{"kernel", false},
               {"shape", false},
               {"facts", false, true},
               {"FLOP/B"},
               {"TFLOP/s"},
               {"GB/s"},
               {"bound by", false},
               {"roof TFLOP/s"},
               {"of roof"}});
  for (const RooflinePoint& point : roofline.points) {
    const Problem& problem = point.entry->result.problem;
    const auto roof = point.roof.at(point.intensity);
    const auto share = point.share();
    table.add({problem.kernel, shape_text(problem.dims), facts_key(problem.facts), figure(point.intensity),
               figure(point.tflop_per_s), rate(point.gb_per_s), point.side().empty() ? "?" : point.side(),
               roof ? figure(*roof) : "-", share ? percent(*share) : "-"});
  }
  return style.bold(gpu_text(roofline.gpu)) + "\n" + style.text(ridges_text(roofline)) + "\n" + table.text(style);
}

}  // namespace

std::optional<double> Roof::ridge() const {
  if (gb_per_s <= 0 || tflop_per_s <= 0) return std::nullopt;
  return tflop_per_s * 1e3 / gb_per_s;
}

std::optional<double> Roof::at(double intensity) const {
  if (gb_per_s <= 0 || tflop_per_s <= 0) return std::nullopt;
  return std::min(tflop_per_s, intensity * gb_per_s / 1e3);
}

std::string RooflinePoint::side() const {
  const auto ridge = roof.ridge();
  if (!ridge) return {};
  return intensity < *ridge ? "memory" : "compute";
}

std::optional<double> RooflinePoint::share() const {
  const auto most = roof.at(intensity);
  return most ? std::optional(tflop_per_s / *most) : std::nullopt;
}

std::vector<Roofline> rooflines_of(const std::vector<store::Entry>& entries,
                                   const std::function<bool(const store::Entry&)>& wanted,
                                   const std::function<std::string(const std::string& kernel)>& arithmetic_of) {
  const Known known{hierarchies_of(entries)};
  std::vector<Roofline> all;
  std::set<std::string> seen;
  for (const store::Entry& entry : entries) {
    const Problem& problem = entry.result.problem;
    if (entry.emulated || ceiling_probe(problem.kernel) != nullptr || !wanted(entry)) continue;
    const std::string arithmetic = arithmetic_of(problem.kernel);
    const auto point = point_of(entry, known, arithmetic);
    const std::string key = store::gpu_key(entry.gpu) + "\n" + problem.kernel + " " + shape_text(problem.dims) + " " +
                            facts_key(problem.facts) + " " + entry.result.regime;
    if (!point || !seen.insert(key).second) continue;
    auto of_gpu = std::find_if(all.begin(), all.end(),
                               [&](const Roofline& each) { return store::same_model(each.gpu, entry.gpu); });
    if (of_gpu == all.end()) of_gpu = all.insert(all.end(), Roofline{entry.gpu, {}, {}});
    of_gpu->points.push_back(*point);
    const bool has_roof = std::any_of(of_gpu->roofs.begin(), of_gpu->roofs.end(),
                                      [&](const Roof& roof) { return roof.arithmetic == arithmetic; });
    if (!has_roof) of_gpu->roofs.push_back(known.roof(entry.gpu, arithmetic, false));
  }
  for (Roofline& each : all)
    std::stable_sort(each.points.begin(), each.points.end(),
                     [](const RooflinePoint& a, const RooflinePoint& b) { return a.intensity < b.intensity; });
  return all;
}

std::string rooflines_text(const std::vector<Roofline>& all, const Style& style) {
  std::string text;
  for (const Roofline& each : all) text += (text.empty() ? "" : "\n") + one_text(each, style);
  return text;
}

std::string rooflines_json(const std::vector<Roofline>& all) {
  using Json = nlohmann::ordered_json;
  const auto number = [](const std::optional<double>& value) { return value && *value > 0 ? Json(*value) : Json(); };
  Json document{{"schema", 1}, {"gpus", Json::array()}};
  for (const Roofline& roofline : all) {
    Json roofs = Json::array(), points = Json::array();
    for (const Roof& roof : roofline.roofs)
      roofs.push_back({{"arithmetic", roof.arithmetic},
                       {"of", roof.of.empty() ? Json() : Json(roof.of)},
                       {"tflop_per_s", number(roof.tflop_per_s)},
                       {"gb_per_s", number(roof.gb_per_s)},
                       {"ridge_flop_per_byte", number(roof.ridge())}});
    for (const RooflinePoint& point : roofline.points) {
      const ProblemResult& result = point.entry->result;
      points.push_back({{"kernel", result.problem.kernel},
                        {"shape", result.problem.dims},
                        {"facts", Json::parse(to_json(result.problem.facts))},
                        {"regime", result.regime},
                        {"layer", point.entry->layer},
                        {"arithmetic", point.roof.arithmetic},
                        {"flop_per_byte", point.intensity},
                        {"tflop_per_s", point.tflop_per_s},
                        {"gb_per_s", point.gb_per_s},
                        {"side", point.side().empty() ? Json() : Json(point.side())},
                        {"roof_tflop_per_s", number(point.roof.at(point.intensity))},
                        {"share", number(point.share())}});
    }
    document["gpus"].push_back(
        {{"gpu", roofline.gpu.name}, {"arch", arch_text(roofline.gpu.arch)}, {"roofs", roofs}, {"points", points}});
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
