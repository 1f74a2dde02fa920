#include "profile/metrics.h"

namespace tuner::profile::metric {
namespace {

constexpr std::string_view before = "smsp__average_warps_issue_stalled_";
constexpr std::string_view after = "_per_issue_active.ratio";

// `only`: of this architecture, 0: of all; `last`: of no newer one, 0: of all.
struct StallState {
  std::string_view reason;
  int only = 0;
  int last = 0;
};
constexpr StallState states[] = {{"barrier"},
                                 {"branch_resolving"},
                                 {"dispatch_stall"},
                                 {"drain"},
                                 {"gmma", 90},
                                 {"imc_miss", 0, 90},
                                 {"lg_throttle"},
                                 {"long_scoreboard"},
                                 {"math_pipe_throttle"},
                                 {"membar"},
                                 {"mio_throttle"},
                                 {"misc"},
                                 {"no_instruction"},
                                 {"not_selected"},
                                 {"selected"},
                                 {"short_scoreboard"},
                                 {"sleeping"},
                                 {"tex_throttle"},
                                 {"wait"}};

}  // namespace

std::string stall(std::string_view reason) { return std::string(before).append(reason).append(after); }

std::string_view stall_reason(std::string_view metric) {
  if (metric.size() <= before.size() + after.size() || metric.substr(0, before.size()) != before) return {};
  const std::string_view rest = metric.substr(before.size());
  const std::string_view reason = rest.substr(0, rest.size() - after.size());
  return rest.substr(reason.size()) == after ? reason : std::string_view();
}

std::vector<std::string> all(int arch) {
  std::vector<std::string> names;
  for (const std::string_view name :
       {dram, dram_read, dram_written, sm, occupancy, l2_hit, load_sectors, load_requests, load_efficiency,
        threads_a_warp, load_conflicts, store_conflicts, load_wavefronts, store_wavefronts, issued})
    names.emplace_back(name);
  for (const StallState& state : states)
    if ((state.only == 0 || state.only == arch) && (state.last == 0 || arch <= state.last))
      names.push_back(stall(state.reason));
  return names;
}

}  // namespace tuner::profile::metric
