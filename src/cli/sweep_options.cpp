#include "cli/sweep_options.h"

#include "cli/knowledge.h"
#include "cli/stop.h"
#include "core/shell.h"
#include "store/overrules_file.h"

namespace tuner::cli {

void check_overrules(const Context& context) {
  for (const std::string& folder : {context.places.project, context.places.site, context.places.shipped})
    store::check_overrules(folder);
}

// Pins and forbids of the user's database and of every results folder.
tune::Overrules overrules(const Context& context) {
  check_overrules(context);
  const store::Layers layers = open_layers(context);
  return {layers.pins(), layers.forbids()};
}

tune::SweepOptions sweep_options(const Context& context) {
  const Arguments& arguments = context.arguments;
  tune::SweepOptions options;
  options.device = arguments.text("--device", "auto");
  options.nvrtc = arguments.text("--nvrtc");
  options.jobs = static_cast<int>(arguments.integer("--jobs", 1, 4096, 0));
  options.program = context.places.program;
  options.launcher = shell_words(arguments.text("--launcher"), "--launcher");
  options.worker = arguments.text("--worker");
  options.templates = context.places.templates();
  options.any_gpu = arguments.has("--any-gpu");
  options.again = arguments.has("--again");
  options.command = context.command_line;
  if (arguments.has("--wait")) options.wait_s = spec::parse_duration(arguments.text("--wait"), "--wait");
  options.shared = arguments.has("--shared");
  options.allow_mps = arguments.has("--allow-mps");
  options.lock_folders = context.places.lock_folders;
  options.stop = stop_requested;
  return options;
}

}  // namespace tuner::cli
