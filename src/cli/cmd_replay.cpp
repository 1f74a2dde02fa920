#include <algorithm>
#include <iostream>

#include "cli/commands.h"
#include "cli/stop.h"
#include "cli/write_file.h"
#include "core/error.h"
#include "core/json_values.h"
#include "report/replay_text.h"
#include "search/choice.h"

namespace tuner::cli {
namespace {

const std::vector<std::string> usual{"random", "local", "forest"};

// Names between commas; a program's command may have commas of its own.
std::vector<search::Choice> strategies(const Arguments& arguments) {
  std::vector<search::Choice> choices;
  for (const std::string& list : arguments.has("--search") ? arguments.all("--search") : usual)
    for (std::size_t at = 0; at <= list.size();) {
      const bool is_program = list.compare(at, 5, "exec:") == 0;
      const std::size_t end = is_program ? list.size() : std::min(list.find(',', at), list.size());
      choices.push_back(search::choice_of(list.substr(at, end - at), "--search"));
      at = end + 1;
    }
  return choices;
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
                                   const std::vector<search::Choice>& choices, const search::ReplayOptions& options) {
  const search::Recording recording = search::read_recording(path);
  const search::Replay replay(recording);
  report::ReplayedRecording out{
      recording.name, recording.about, recording.notes, recording.rows.size(), recording.within(options.within), {}};
  for (const search::Choice& choice : choices) {
    if (stop_requested()) throw Interrupted();
    if (context.verbose) std::cerr << context.notes.text(recording.name + ": " + choice.text) << "\n";
    const auto make = [&](const search::Domain& domain, std::uint64_t seed) {
      search::ExecOptions exec;
      exec.trials = options.trials > 0 ? options.trials : recording.rows.size();
      exec.stop = stop_requested;
      exec.about = R"({"recording":)" + json_string(recording.name) + "}";
      return search::make_strategy(choice, domain, seed, exec);
    };
    out.strategies.push_back({choice.text, replay.run(make, options)});
  }
  return out;
}

}  // namespace

int cmd_replay(const Context& context) {
  const Arguments& arguments = context.arguments;
  arguments.required("FILE");
  const std::vector<search::Choice> choices = strategies(arguments);
  report::ReplayedSweeps sweeps{options_of(arguments), {}};
  catch_stop_signals();
  for (const std::string& path : arguments.all("FILE"))
    sweeps.recordings.push_back(replayed(context, path, choices, sweeps.options));
  if (arguments.has("--output")) write_file(arguments.text("--output"), report::replay_svg(sweeps));
  std::cout << (context.json ? report::replay_json(sweeps) : report::replay_text(sweeps, context.style));
  return 0;
}

}  // namespace tuner::cli
