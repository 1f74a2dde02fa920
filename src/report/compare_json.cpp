#include <nlohmann/json.hpp>

#include "report/compare_text.h"

namespace tuner::report {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }
Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json side_json(const ComparedSide& side, double time_us, double spread) {
  return {{"params", Json::parse(to_json(side.config))},
          {"origin", side.origin},
          {"gpu", or_null(side.gpu)},
          {"driver", or_null(side.driver)},
          {"time_us", or_null(time_us)},
          {"spread", time_us > 0 ? Json(spread) : Json(nullptr)},
          {"reason", side.verdict.ok() ? Json(nullptr) : Json(to_text(side.verdict.reason))},
          {"detail", side.verdict.detail},
          {"note", or_null(side.note)}};
}

Json result_json(const Compared& one, const CompareReport& report) {
  const measure::Comparison& result = one.result;
  const bool times = has_times(one);
  const auto timed = [times](const Json& value) { return times ? value : Json(nullptr); };
  return {{"kernel", one.problem.kernel},
          {"shape", one.problem.dims},
          {"facts", Json::parse(to_json(one.problem.facts))},
          {"regime", one.regime},
          {"how", to_text(one.how)},
          {"a", side_json(one.a, times ? result.a_us : 0, result.a_spread)},
          {"b", side_json(one.b, times ? result.b_us : 0, result.b_spread)},
          {"same_binary", one.same_binary},
          {"ratio", timed(result.ratio.ratio)},
          {"ratio_low", times ? or_null(result.ratio.low) : Json(nullptr)},
          {"ratio_high", times ? or_null(result.ratio.high) : Json(nullptr)},
          {"verdict", timed(to_text(result.finding))},
          {"margin", timed(result.margin)},
          {"noise_floor", timed(result.noise_floor)},
          {"rounds", timed(result.rounds)},
          {"placements", timed(result.batches)},
          {"failure", or_null(failure_of(one, report))},
          {"doubt", or_null(doubt_of(one, report))},
          {"why_not", or_null(one.why_not)},
          {"seconds", one.seconds}};
}

}  // namespace

std::string compare_json(const CompareReport& report) {
  Json json{{"schema", 1},
            {"a", report.a},
            {"b", report.b},
            {"gpu", or_null(report.here.name)},
            {"driver", or_null(report.here.driver)},
            {"fail_if_slower", report.rules.gated() ? Json(report.rules.fail_if_slower) : Json(nullptr)},
            {"strict", report.strict},
            {"results", Json::array()}};
  bool failed = false, doubt = false;
  for (const Compared& one : report.all) {
    json["results"].push_back(result_json(one, report));
    failed |= !failure_of(one, report).empty();
    doubt |= !doubt_of(one, report).empty();
  }
  json["gate"] = !report.rules.gated() ? Json(nullptr) : Json(failed ? "tripped" : doubt ? "undecided" : "passed");
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tuner::report
