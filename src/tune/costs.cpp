#include "tune/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace tuner::tune {

std::string Costs::leave_out(const CandidateSet& set, std::vector<int>& racing) {
  if (of_times()) return {};
  std::string why;
  int left_out = 0;
  const auto without = [&](int index) {
    try {
      const Config& config = set.all[static_cast<std::size_t>(index)].trial.config;
      spec::Cost cost(*planned_.kernel, planned_.problem, config, gpu_);
      cost.at(1);
      costs_.emplace(index, std::move(cost));
      return false;
    } catch (const UserError& error) {
      if (left_out++ == 0) why = error.what();
      return true;
    }
  };
  racing.erase(std::remove_if(racing.begin(), racing.end(), without), racing.end());
  if (left_out == 0) return {};
  return fmt::format("{} not timed, the objective cannot be computed for {}: {}",
                     left_out == 1 ? "1 configuration is" : fmt::format("{} configurations are", left_out),
                     left_out == 1 ? "it" : "them", why);
}

double Costs::at(int index, double us) {
  if (of_times()) return us;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto cost = costs_.find(index);
  if (cost == costs_.end() || !std::isfinite(us) || us <= 0) return none;
  try {
    return cost->second.at(us);
  } catch (const UserError&) {
    return none;
  }
}

double Costs::noise(int index, double us, double of_times) {
  const double apart = std::fabs(at(index, us * (1 + of_times)) / at(index, us) - 1);
  return this->of_times() || !std::isfinite(apart) ? of_times : apart;
}

}  // namespace tuner::tune
