#include "cli/run.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "cli/commands.h"
#include "cli/flags.h"
#include "compile/render.h"
#include "core/shell.h"

namespace tuner::cli {
namespace {

struct Entry {
  const char* name;
  int (*run)(const Context&);
};

constexpr Entry entries[] = {
    {"sweep", cmd_sweep},     {"best", cmd_best},       {"compare", cmd_compare}, {"list", cmd_list},
    {"explain", cmd_explain}, {"compile", cmd_compile}, {"doctor", cmd_doctor},   {"export", cmd_export},
    {"import", cmd_import},   {"pin", cmd_pin},         {"unpin", cmd_unpin},     {"forbid", cmd_forbid},
    {"run", cmd_run},         {"cache", cmd_cache},     {"check", cmd_check},     {"new-kernel", cmd_new_kernel},
    {"schema", cmd_schema},   {"report", cmd_report},   {"profile", cmd_profile}, {"repack", cmd_repack},
    {"replay", cmd_replay},   {"refresh", cmd_refresh}};

std::string joined(int argc, const char* const* argv) {
  std::string line = "tuner";
  for (int i = 1; i < argc; ++i) line += " " + shell_word(argv[i]);
  return line;
}

void check_device(const std::string& device, bool several) {
  const bool numbered = device.size() > 5 && device.compare(0, 5, "cuda:") == 0 &&
                        device.find_first_not_of("0123456789", 5) == std::string::npos && device.size() <= 8;
  if (device != "auto" && device != "host" && !numbered && !(several && device == "all"))
    throw UserError("'" + device + "' is no device", "--device",
                    several ? "auto, host, all, or cuda:N with N the GPU's number"
                            : "auto, host, or cuda:N with N the GPU's number");
}

std::string working_folder() {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  if (error) throw MachineError("the working folder is not there: " + error.message(), ".", "cd to one that is");
  return folder;
}

// Its exit code, once all that it printed has arrived.
int printed(int code) {
  std::cout.flush();
  if (!std::cout) throw MachineError("standard output could not be written");
  return code;
}

Context make_context(Arguments arguments, std::string command_line) {
  for (const std::string& device : arguments.all("--device"))
    check_device(device, is_own_flag(arguments.command, "--device"));
  Context context;
  const std::string color = arguments.text("--color", "auto");
  context.style = report::detect_style(STDOUT_FILENO, color, process_environment);
  context.notes = report::detect_style(STDERR_FILENO, color, process_environment);
  context.json = arguments.has("--json");
  context.quiet = arguments.has("--quiet");
  context.verbose = arguments.has("--verbose");
  context.places = find_places(program_path(), working_folder(), {arguments.text("--db"), arguments.all("--kernels")},
                               process_environment);
  compile::set_include_folders({context.places.templates() + "/include"});
  context.arguments = std::move(arguments);
  context.command_line = std::move(command_line);
  return context;
}

}  // namespace

int run(int argc, const char* const* argv) {
  Arguments arguments = parse(argc, argv);
  if (arguments.has("--version")) {
    std::cout << "tuner " TUNER_VERSION "\n";
    return printed(0);
  }
  if (arguments.has("--help")) {
    std::cout << help_text(arguments.command);
    return printed(0);
  }
  if (!arguments.command) {
    std::cerr << help_text(nullptr);
    return 2;
  }
  const std::string name = arguments.command->name;
  const Context context = make_context(std::move(arguments), joined(argc, argv));
  for (const Entry& entry : entries)
    if (name == entry.name) return printed(entry.run(context));
  return 2;
}

int report_failure(const std::exception& failure) {
  std::cout.flush();
  const auto* error = dynamic_cast<const Error*>(&failure);
  std::string text = std::string("error: ") + failure.what() + "\n";
  if (error && !error->where().empty()) text += "  at " + error->where() + "\n";
  if (error && !error->hint().empty()) text += "  hint: " + error->hint() + "\n";
  std::cerr << report::detect_style(STDERR_FILENO, "never", process_environment).text(text);
  if (dynamic_cast<const UserError*>(&failure)) return 2;
  if (dynamic_cast<const NothingFound*>(&failure)) return 3;
  if (dynamic_cast<const Interrupted*>(&failure)) return 130;
  return 1;
}

}  // namespace tuner::cli
