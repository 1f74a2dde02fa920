#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "profile/difference.h"
#include "profile/figures.h"
#include "report/profile_text.h"
#include "report/profile_values.h"

namespace tuner::report {
namespace {

using Json = nlohmann::ordered_json;

Json figures_json(const LaunchCounters& launch) {
  Json json = Json::object();
  for (const profile::Figure& figure : profile::figures_of(launch)) {
    const auto& target = figure.kind->target;
    Json& one = json[std::string(figure.kind->key)];
    one["value"] = figure.value ? Json(*figure.value) : Json(nullptr);
    one["target"] = target ? Json(target->value) : Json(nullptr);
    one["misses"] = figure.misses();
    if (!figure.value) one["absent"] = figure.absent;
  }
  return json;
}

Json launch_json(const LaunchCounters& launch) {
  Json json{{"launch", launch.entry}, {"figures", figures_json(launch)}, {"stalls", Json::object()}};
  for (const profile::Stall& stall : profile::stalls_of(launch)) json["stalls"][stall.reason] = stall.cycles;
  json["advice"] = Json::array();
  for (const profile::Advice& advice : profile::advice_of(launch))
    json["advice"].push_back(
        {{"figure", advice.key.empty() ? Json(nullptr) : Json(advice.key)}, {"text", advice.text}});
  json["metrics"] = Json::object();
  for (const auto& [name, value] : launch.values) json["metrics"][name] = value;
  return json;
}

Json counters_object(const Counters& counters) {
  Json json{{"profiler", counters.profiler},
            {"driver", counters.driver},
            {"counted_at", counters.counted_at},
            {"launches", Json::array()}};
  for (const LaunchCounters& launch : counters.launches) json["launches"].push_back(launch_json(launch));
  return json;
}

Json most_different(const Profile& profile) {
  const auto has_launch = [](const Profiled& one) { return one.counters && !one.counters->launches.empty(); };
  if (profile.all.size() != 2 || !has_launch(profile.all[0]) || !has_launch(profile.all[1])) return nullptr;
  const auto most =
      profile::foremost(profile.all[0].counters->launches.front(), profile.all[1].counters->launches.front());
  if (!most) return nullptr;
  Json kinds = Json::object();
  for (const profile::KindPair& kind :
       profile::kind_pairs(profile.all[0].counters->launches.front(), profile.all[1].counters->launches.front()))
    kinds[std::string(kind.kind)] = kind.share;
  return {{"stall", most->stall.reason},
          {"cycles", {most->stall.a.cycles, most->stall.b.cycles}},
          {"all_cycles", {most->stall.a.all_cycles, most->stall.b.all_cycles}},
          {"share", most->share},
          {"share_by_kind", kinds}};
}

}  // namespace

std::string profile_json(const std::vector<Profile>& profiles) {
  Json document{{"schema", 1}, {"results", Json::array()}};
  for (const Profile& profile : profiles) {
    Json result{{"kernel", profile.problem.kernel},
                {"gpu", profile.gpu},
                {"shape", profile.problem.dims},
                {"facts", Json::parse(to_json(profile.problem.facts))},
                {"configurations", Json::array()}};
    for (const Profiled& one : profile.all)
      result["configurations"].push_back({{"params", Json::parse(to_json(one.config))},
                                          {"origin", one.origin},
                                          {"time_us", one.time_us > 0 ? Json(one.time_us) : Json(nullptr)},
                                          {"failure", one.failure.empty() ? Json(nullptr) : Json(one.failure)},
                                          {"counters", one.counters ? counters_object(*one.counters) : Json(nullptr)}});
    result["differs_most"] = most_different(profile);
    document["results"].push_back(std::move(result));
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string counters_line(const Counters& counters) {
  if (counters.launches.empty()) return {};
  std::string text;
  for (const profile::Figure& figure : profile::figures_of(counters.launches.front())) {
    if (!figure.value || figure.kind->unit == profile::Unit::bytes) continue;
    const std::string target = figure.misses() ? " (target " + target_text(*figure.kind) + ")" : "";
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", figure.kind->brief, figure_text(figure), target);
  }
  const std::string more =
      counters.launches.size() > 1
          ? fmt::format(" ({}, the first of {} launches)", counters.launches.front().entry, counters.launches.size())
          : "";
  return text + more + "; " + counters.profiler + ", " + counters.counted_at;
}

std::string counters_json(const std::optional<Counters>& counters) {
  return counters ? counters_object(*counters).dump(-1, ' ', false, Json::error_handler_t::replace) : "null";
}

}  // namespace tuner::report
