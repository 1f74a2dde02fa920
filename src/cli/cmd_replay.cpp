#include <iostream>

#include "cli/commands.h"
#include "cli/stop.h"
#include "cli/write_file.h"
#include "core/error.h"
#include "core/suggest.h"
#include "report/replay_text.h"

namespace tuner::cli {
namespace {

const std::vector<std::string> usual{"random", "local", "forest"};

std::vector<std::string> strategies(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const std::string& list : arguments.all("--search"))
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      names.push_back(list.substr(at, end - at));
      at = end + 1;
    }
  const auto& known = search::strategy_names();
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UserError("there is no strategy '" + name + "'", "--search", did_you_mean(name, known));
  return names.empty() ? usual : names;
}

search::ReplayOptions options_of(const Arguments& arguments) {
  search::ReplayOptions options;
  options.repeats = static_cast<int>(arguments.integer("--repeats", 1, 1000000, options.repeats));
  options.seed = static_cast<std::uint64_t>(arguments.integer("--seed", 0, INT64_MAX, 1));
  options.trials = static_cast<std::size_t>(arguments.integer("--trials", 1, INT64_MAX, 0));
  options.at_once = static_cast<std::size_t>(arguments.integer("--at-once", 1, 4096, 8));
  options.within = arguments.share("--within", options.within);
  return options;
}

report::ReplayedRecording replayed(const Context& context, const std::string& path,
                                   const std::vector<std::string>& names, const search::ReplayOptions& options) {
  const search::Recording recording = search::read_recording(path);
  const search::Replay replay(recording);
  report::ReplayedRecording out{
      recording.name, recording.about, recording.notes, recording.rows.size(), recording.within(options.within), {}};
  for (const std::string& name : names) {
    if (stop_requested()) throw Interrupted();
    if (context.verbose) std::cerr << context.notes.text(recording.name + ": " + name) << "\n";
    const auto make = [&](const search::Domain& domain, std::uint64_t seed) {
      return search::make_strategy(name, domain, seed);
    };
    out.strategies.push_back({name, replay.run(make, options)});
  }
  return out;
}

}  // namespace

int cmd_replay(const Context& context) {
  const Arguments& arguments = context.arguments;
  arguments.required("FILE");
  const std::vector<std::string> names = strategies(arguments);
  report::ReplayedSweeps sweeps{options_of(arguments), {}};
  catch_stop_signals();
  for (const std::string& path : arguments.all("FILE"))
    sweeps.recordings.push_back(replayed(context, path, names, sweeps.options));
  if (arguments.has("--output")) write_file(arguments.text("--output"), report::replay_svg(sweeps));
  std::cout << (context.json ? report::replay_json(sweeps) : report::replay_text(sweeps, context.style));
  return 0;
}

}  // namespace tuner::cli
