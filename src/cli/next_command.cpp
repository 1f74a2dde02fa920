#include "cli/next_command.h"

#include <algorithm>
#include <initializer_list>

#include "core/shell.h"
#include "spec/resolve.h"

namespace tuner::cli {
namespace {

// Of "tuner best --shape ...".
const Command* command_in(const std::string& text) {
  const std::size_t begin = text.find(' ') + 1;
  return find_command(std::string_view(text).substr(begin, text.find(' ', begin) - begin));
}

bool takes(const Command* command, const std::string& flag) {
  const auto is_it = [&](const Flag& one) { return one.name == flag; };
  const auto& global = global_flags();
  if (std::any_of(global.begin(), global.end(), is_it)) return true;
  return command != nullptr && std::any_of(command->flags.begin(), command->flags.end(), is_it);
}

std::string with(const Context& context, const std::string& text, std::initializer_list<const char*> flags) {
  std::string out = text;
  const Command* command = command_in(text);
  for (const std::string flag : flags) {
    if (!context.arguments.has(flag) || !takes(command, flag) || text.find(" " + flag + " ") != std::string::npos)
      continue;
    const std::vector<std::string>& values = context.arguments.all(flag);
    const bool many = values.size() > 1 || values.front() == "all";
    if (flag == "--device" && many && values.front() != "host") continue;  // what one of them measured, all answer with
    for (const std::string& value : flag == "--device" ? std::vector{values.front()} : values)
      out += " " + flag + " " + shell_word(value);
  }
  return out;
}

}  // namespace

std::string with_places(const Context& context, const std::string& command) {
  return with(context, command, {"--device", "--db", "--kernels"});
}

std::string with_question(const Context& context, const std::string& command) {
  return with(context, command, {"--set", "--regime", "--gpu", "--device", "--db", "--kernels"});
}

std::string problem_words(const Problem& problem) {
  return "--kernel " + shell_word(problem.kernel) + " --shape " + shape_text(problem.dims);
}

std::string problem_words(const spec::KernelSpec& kernel, const Problem& problem) {
  std::string text = problem_words(problem);
  const Problem usual = spec::make_problem(kernel, problem.dims, {}, "--shape");
  for (const auto& [name, value] : problem.facts) {
    const Value* there = usual.fact(name);
    if (there == nullptr || !(*there == value)) text += " --set " + shell_word(name + "=" + to_text(value));
  }
  return text;
}

}  // namespace tuner::cli
