// The one table of commands and flags: it feeds the parser, --help and "did you mean".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tuner::cli {

struct Flag {
  std::string name;                  // "--shape"
  std::string value;                 // "MxN"; empty: a switch
  std::string help;                  // a sentence, with its default
  bool many = false;                 // may be repeated
  std::vector<std::string> choices;  // empty: any text
  std::string short_name;            // "-v"; may be empty
};

struct Positional {
  std::string name;  // "FILE"
  std::string help;
  bool many = false;
};

struct Command {
  std::string name;
  std::string summary;
  std::string usage;  // what stands behind "tuner NAME"
  std::vector<Positional> positionals;
  std::vector<Flag> flags;
  std::vector<std::string> examples;
};

const std::vector<Flag>& global_flags();
// Whether `command` has one of this name itself: that one holds.
bool is_own_flag(const Command* command, std::string_view name);
const std::vector<Command>& commands();
const Command* find_command(std::string_view name);

// The text of --help: of one command, or of the program when `command` is null. At most 80 columns.
std::string help_text(const Command* command);

}  // namespace tuner::cli
