#include "search/choice.h"

#include <algorithm>

#include "core/error.h"
#include "core/shell.h"
#include "core/suggest.h"

namespace tuner::search {
namespace {

constexpr std::string_view exec = "exec:";

}  // namespace

Choice choice_of(const std::string& text, const std::string& where) {
  if (text.compare(0, exec.size(), exec) == 0) {
    Choice choice{"exec", shell_words(text.substr(exec.size()), where), text};
    if (choice.command.empty()) throw UserError("'exec:' names no program", where, "e.g. exec:\"python3 mine.py\"");
    return choice;
  }
  std::vector<std::string> known = strategy_names();
  if (std::find(known.begin(), known.end(), text) != known.end()) return {text, {}, text};
  known.push_back("exec:CMD");
  throw UserError("there is no search strategy '" + text + "'", where, did_you_mean(text, known));
}

std::unique_ptr<Strategy> make_strategy(const Choice& choice, const Domain& domain, std::uint64_t seed,
                                        ExecOptions options) {
  if (choice.command.empty()) return make_strategy(choice.name, domain, seed);
  options.command = choice.command;
  return make_exec_strategy(domain, seed, options);
}

}  // namespace tuner::search
