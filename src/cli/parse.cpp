#include "cli/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <deque>

#include "core/error.h"
#include "core/suggest.h"

namespace tuner::cli {
namespace {

// What CLI11 fills in; a deque because it keeps addresses.
struct Sink {
  struct Slot {
    std::string name;
    std::vector<std::string> texts;
    CLI::Option* option = nullptr;
  };
  std::deque<Slot> slots;

  Slot& add(const std::string& name) {
    slots.push_back({name, {}, nullptr});
    return slots.back();
  }
};

void add_flag(CLI::App& app, const Flag& flag, Sink& sink) {
  const std::string names = flag.short_name.empty() ? flag.name : flag.short_name + "," + flag.name;
  Sink::Slot& slot = sink.add(flag.name);
  if (flag.value.empty()) {
    slot.option = app.add_flag(names);
    return;
  }
  slot.option = app.add_option(names, slot.texts);
  // One value each time, also where a flag may be repeated: a flag with several would take the positionals behind it.
  slot.option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false);
}

void add_command(CLI::App& app, const Command& command, Sink& sink) {
  for (const Flag& flag : command.flags) add_flag(app, flag, sink);
  for (const Positional& positional : command.positionals) {
    Sink::Slot& slot = sink.add(positional.name);
    slot.option = app.add_option(positional.name, slot.texts);
    if (positional.many)
      slot.option->expected(0, CLI::detail::expected_max_vector_size);
    else
      slot.option->expected(1)->allow_extra_args(false);  // else it takes the words of the next one too
  }
}

std::vector<std::string> flag_names(const Command* command) {
  std::vector<std::string> names;
  for (const Flag& flag : global_flags()) names.push_back(flag.name);
  if (command)
    for (const Flag& flag : command->flags) names.push_back(flag.name);
  return names;
}

std::string where_of(const Command* command) { return command ? "tuner " + command->name : "tuner"; }

// A flag that the table does not hold for this command, wherever it stands.
void refuse_unknown_flags(const std::vector<std::string>& extras, const Command* command) {
  for (const std::string& extra : extras) {
    if (extra.size() < 2 || extra[0] != '-') continue;
    const std::string name = extra.substr(0, extra.find('='));
    throw UserError("unknown flag '" + name + "'", where_of(command), did_you_mean(name, flag_names(command)));
  }
}

void refuse_other_extras(const std::vector<std::string>& extras, const Command* command) {
  if (extras.empty()) return;
  if (command)
    throw UserError("unexpected argument '" + extras.front() + "'", where_of(command),
                    "see 'tuner " + command->name + " --help'");
  std::vector<std::string> names;
  for (const Command& known : commands()) names.push_back(known.name);
  throw UserError("unknown command '" + extras.front() + "'", "tuner", did_you_mean(extras.front(), names));
}

const Flag* find_flag(const Command* command, std::string_view name) {
  if (command)
    for (const Flag& flag : command->flags)
      if (flag.name == name) return &flag;
  for (const Flag& flag : global_flags())
    if (flag.name == name) return &flag;
  return nullptr;
}

// CLI11 gives a flag the next word whatever it is, so that `--shape -1x4` reaches the shape parser; a word that is
// itself a flag was not meant as a value.
void check_value(const Flag& flag, const std::string& text, const Command* command) {
  if (find_flag(command, text) || text.empty())
    throw UserError("flag '" + flag.name + "' needs a value", where_of(command), flag.name + " " + flag.value);
  if (!flag.choices.empty() && std::find(flag.choices.begin(), flag.choices.end(), text) == flag.choices.end())
    throw UserError("'" + text + "' is no value of " + flag.name, flag.name, did_you_mean(text, flag.choices));
}

Arguments collect(Sink& sink, const Command* command) {
  Arguments arguments;
  arguments.command = command;
  for (const Sink::Slot& slot : sink.slots) {
    if (slot.option->count() == 0) continue;
    std::vector<std::string>& to = arguments.values[slot.name];
    const Flag* flag = find_flag(command, slot.name);
    if (flag && flag->value.empty()) {
      to.assign(1, "");
      continue;
    }
    for (const std::string& text : slot.option->results()) {
      if (flag) check_value(*flag, text, command);
      if (!flag && text.empty())
        throw UserError("'" + slot.name + "' is empty", where_of(command), "see '" + where_of(command) + " --help'");
      to.push_back(text);
    }
    if (flag && !flag->many && to.size() > 1)
      throw UserError("flag '" + flag->name + "' is given twice, with " + to.front() + " and " + to.back(),
                      where_of(command), "it takes one value: keep one of them");
  }
  return arguments;
}

}  // namespace

Arguments parse(int argc, const char* const* argv) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.require_subcommand(0, 1);
  Sink sink;
  for (const Flag& flag : global_flags()) add_flag(app, flag, sink);
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name);
    sub->set_help_flag();
    sub->allow_extras();
    for (const Flag& flag : global_flags())
      if (!is_own_flag(&command, flag.name)) add_flag(*sub, flag, sink);
    add_command(*sub, command, sink);
  }
  std::string failure;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    failure = error.what();
  }
  const Command* command = nullptr;
  std::vector<std::string> extras = app.remaining();
  for (const CLI::App* sub : app.get_subcommands()) {
    command = find_command(sub->get_name());
    const std::vector<std::string> more = sub->remaining();
    extras.insert(extras.end(), more.begin(), more.end());
  }
  refuse_unknown_flags(extras, command);
  if (!failure.empty()) {
    // The one thing CLI11 can find wrong here is a flag at the end without its value: "--shape: 1 required TEXT
    // missing".
    const Flag* flag = find_flag(command, failure.substr(0, failure.find(':')));
    if (flag) check_value(*flag, {}, command);
    throw UserError(failure, where_of(command), "see '" + where_of(command) + " --help'");
  }
  Arguments arguments = collect(sink, command);
  if (!arguments.has("--help")) refuse_other_extras(extras, command);
  return arguments;
}

std::string Arguments::text(std::string_view name, std::string_view fallback) const {
  const auto found = values.find(name);
  return found == values.end() || found->second.empty() ? std::string(fallback) : found->second.back();
}

const std::vector<std::string>& Arguments::all(std::string_view name) const {
  static const std::vector<std::string> none;
  const auto found = values.find(name);
  return found == values.end() ? none : found->second;
}

std::int64_t Arguments::integer(std::string_view name, std::int64_t low, std::int64_t high,
                                std::int64_t fallback) const {
  if (!has(name)) return fallback;
  const std::string given = text(name);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (error != std::errc{} || end != given.data() + given.size() || value < low || value > high)
    throw UserError("'" + given + "' is no integer from " + std::to_string(low) + " to " + std::to_string(high),
                    std::string(name));
  return value;
}

double Arguments::share(std::string_view name, double fallback) const {
  if (!has(name)) return fallback;
  const std::string written = text(name);
  double percent = -1;
  const auto [end, fault] =
      std::from_chars(written.data(), written.data() + written.size(), percent, std::chars_format::fixed);
  if (fault != std::errc{} || std::string_view(end) != "%" || !(percent >= 0 && percent <= 100))
    throw UserError("'" + written + "' is no percentage", std::string(name), "e.g. 1% or 0.5%");
  return percent / 100;
}

std::string Arguments::required(std::string_view name) const {
  if (has(name)) return text(name);
  throw UserError("'" + std::string(name) + "' is missing", where_of(command),
                  command ? "tuner " + command->name + " " + command->usage : "");
}

namespace {

// Digits alone, perhaps behind a sign: where it is no value, it has too many of them.
bool is_number(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Facts parse_assignments(const std::vector<std::string>& texts, std::string_view flag) {
  Facts facts;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const bool named = equals != std::string::npos && equals > 0;
    const std::string_view given = named ? std::string_view(text).substr(equals + 1) : std::string_view();
    const std::optional<Value> value = value_from_text(given);
    if (!value && is_number(given))
      throw UserError("the integer of '" + text + "' is too " + (given.front() == '-' ? "small" : "large"),
                      std::string(flag), "it has 64 bits: at most " + std::to_string(INT64_MAX));
    if (!value) throw UserError("'" + text + "' is not NAME=VALUE", std::string(flag), "e.g. batch=4");
    const std::string name = text.substr(0, equals);
    for (const auto& [known, unused] : facts)
      if (known == name) throw UserError("'" + name + "' is given twice", std::string(flag));
    facts.emplace_back(name, *value);
  }
  return facts;
}

}  // namespace tuner::cli
