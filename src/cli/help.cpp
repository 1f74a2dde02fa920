#include <fmt/format.h>

#include "cli/flags.h"

namespace tuner::cli {
namespace {

constexpr std::size_t width = 80;
constexpr std::size_t column = 24;  // where descriptions begin

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t at = indent;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = text.find(' ', i);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view word = text.substr(i, end - i);
    if (at > indent && at + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      at = indent;
    }
    if (at > indent) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
    i = end + 1;
  }
  return out;
}

std::string row(const std::string& left, std::string_view text) {
  std::string out = "  " + left;
  if (out.size() + 2 > column)
    out += "\n" + std::string(column, ' ');
  else
    out += std::string(column - out.size(), ' ');
  return out + wrapped(text, column) + "\n";
}

std::string flag_row(const Flag& flag) {
  std::string left = flag.short_name.empty() ? flag.name : flag.short_name + ", " + flag.name;
  if (!flag.value.empty()) left += " " + flag.value;
  return row(left, flag.many ? flag.help + " Repeatable." : flag.help);
}

std::string everywhere(const Command* command) {
  std::string out = "\nEverywhere:\n";
  for (const Flag& flag : global_flags())
    if (!is_own_flag(command, flag.name)) out += flag_row(flag);
  return out;
}

std::string program_help() {
  std::string out =
      "tuner: finds the fastest correct configuration of a CUDA kernel on a GPU,\n"
      "and remembers it.\n\nUsage: tuner COMMAND [flags]\n\nCommands:\n";
  for (const Command& command : commands()) out += row(command.name, command.summary);
  out += everywhere(nullptr);
  out +=
      "\nExit codes: 0 done, 1 the machine or the tool failed, 2 bad usage or bad file,\n"
      "3 nothing valid found, 4 a gate tripped, 130 interrupted.\n"
      "\nExamples:\n  tuner sweep configs/quickstart.yaml\n  tuner best --shape 4096x14336\n"
      "\n'tuner COMMAND --help' says more.\n";
  return out;
}

}  // namespace

std::string help_text(const Command* command) {
  if (!command) return program_help();
  std::string out = command->summary + "\n\nUsage: tuner " + command->name + " " + command->usage + "\n";
  if (!command->positionals.empty()) {
    out += "\nArguments:\n";
    for (const Positional& positional : command->positionals) out += row(positional.name, positional.help);
  }
  out += "\nFlags:\n";
  for (const Flag& flag : command->flags) out += flag_row(flag);
  out += everywhere(command);
  out += "\nExamples:\n";
  for (const std::string& example : command->examples) out += "  " + example + "\n";
  return out;
}

}  // namespace tuner::cli
