#include "search/exec_strategy.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_values.h"
#include "search/line_child.h"
#include "search/tried.h"

namespace tuner::search {
namespace {

using Json = nlohmann::ordered_json;

constexpr int protocol = 1;
constexpr int most_in_vain = 100;  // answers in a row without anything new
constexpr const char* expected = "a line such as {\"try\": [{\"block_size\": 128, \"variant\": \"vec\"}]} is expected";

// What a program is told of a configuration that is not run.
struct Refused {
  std::string config;  // JSON
  std::string why;
  double ratio = std::nan("");  // of one that was tried before
};

class Exec : public Strategy {
 public:
  Exec(const Domain& domain, std::uint64_t seed, const ExecOptions& options)
      : domain_(domain), options_(options), child_(options.command, options.answer, options.stop) {
    Json hello{{"tuner", protocol},
               {"problem", options.about.empty() ? Json::object() : Json::parse(options.about)},
               {"parameters", Json::array()},
               {"seed", seed},
               {"trials", options.trials}};
    for (const Axis& axis : domain.axes()) {
      Json values = Json::array();
      for (const Value& value : axis.values) values.push_back(Json::parse(json_text(value)));
      hello["parameters"].push_back({{"name", axis.name}, {"values", std::move(values)}});
    }
    child_.send(hello.dump());
  }

  std::vector<Point> ask(std::size_t most) override {
    for (int in_vain = 0; in_vain < most_in_vain; ++in_vain) {
      child_.send(Json{{"ask", most}}.dump());
      const Json wanted = answer();
      if (wanted.empty()) return {};
      if (wanted.size() > most)
        child_.fail(fmt::format("gave {} configurations where {} were asked for", wanted.size(), most), expected);
      std::vector<Point> fresh;
      for (const Json& config : wanted)
        if (auto point = taken(config)) fresh.push_back(std::move(*point));
      if (!fresh.empty()) return fresh;
      tell({});
    }
    child_.fail(fmt::format("asked {} times in a row for nothing that is legal and new", most_in_vain),
                last_refused_ + "; {\"try\": []} says that it is done");
  }

  void tell(const std::vector<Outcome>& outcomes) override {
    Json told = Json::array();
    for (const Outcome& outcome : outcomes) {
      tried_.mark(outcome.point);
      tried_.tell(outcome);
      told.push_back({{"config", Json::parse(to_json(config_of(domain_.axes(), outcome.point)))},
                      {"ratio", outcome.good() ? Json(outcome.ratio) : Json(nullptr)}});
    }
    for (const Refused& refused : refused_)
      told.push_back({{"config", Json::parse(refused.config)},
                      {"ratio", std::isfinite(refused.ratio) ? Json(refused.ratio) : Json(nullptr)},
                      {"not_run", refused.why}});
    refused_.clear();
    child_.send(Json{{"tell", std::move(told)}}.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

 private:
  // What the next line asks for: an array of objects.
  Json answer() {
    const std::string line = child_.receive();
    const Json root = Json::parse(line, nullptr, false);
    const std::string shown = line.size() > 80 ? line.substr(0, 80) + "..." : line;
    const std::string which = fmt::format("line {}", child_.lines_read());
    if (root.is_discarded()) child_.fail(fmt::format("printed no JSON in {}: {}", which, shown), expected);
    if (!root.is_object() || !root.contains("try") || !root["try"].is_array())
      child_.fail(fmt::format("did not say what to try in {}: {}", which, shown), expected);
    for (const Json& config : root["try"])
      if (!config.is_object())
        child_.fail(fmt::format("gave something else than configurations in {}: {}", which, shown), expected);
    return root["try"];
  }

  // Empty, and noted, where it is not to be run.
  std::optional<Point> taken(const Json& json) {
    std::optional<Config> config;
    std::string why;
    try {
      config = config_from_json(json.dump());
    } catch (const UserError& fault) {
      why = fault.what();
    }
    const auto point = config ? point_of(domain_.axes(), *config) : std::nullopt;
    if (point && tried_.has(*point)) return refuse(json, "it was tried before", tried_.ratio(*point));
    if (point && domain_.contains(*point)) {
      tried_.mark(*point);
      return point;
    }
    if (config && options_.why_illegal) why = options_.why_illegal(*config);
    return refuse(json, why.empty() ? "it is not legal here" : "it is not legal: " + why, std::nan(""));
  }

  std::nullopt_t refuse(const Json& config, const std::string& why, double ratio) {
    refused_.push_back({config.dump(-1, ' ', false, Json::error_handler_t::replace), why, ratio});
    last_refused_ = "the last one, " + refused_.back().config + ": " + why;
    return std::nullopt;
  }

  const Domain& domain_;
  ExecOptions options_;
  LineChild child_;
  Tried tried_;
  std::vector<Refused> refused_;
  std::string last_refused_;
};

}  // namespace

std::unique_ptr<Strategy> make_exec_strategy(const Domain& domain, std::uint64_t seed, const ExecOptions& options) {
  return std::make_unique<Exec>(domain, seed, options);
}

}  // namespace tuner::search
