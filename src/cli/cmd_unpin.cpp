#include <algorithm>
#include <iostream>

#include "cli/commands.h"
#include "cli/knowledge.h"
#include "cli/overruling.h"
#include "core/error.h"
#include "report/overrules_text.h"
#include "spec/resolve.h"

namespace tuner::cli {
namespace {

// Whether it is a problem of its kernel as that is now: its pin can then be named like any other.
bool is_problem_now(const spec::Catalog& catalog, const Problem& problem) {
  const spec::KernelSpec* kernel = catalog.find(problem.kernel);
  if (kernel == nullptr) return false;
  try {
    return spec::make_problem(*kernel, problem.dims, problem.facts, "the pin") == problem;
  } catch (const UserError&) {
    return false;
  }
}

bool agrees(const Facts& given, const Facts& facts) {
  return std::all_of(given.begin(), given.end(),
                     [&facts](const auto& fact) { return std::find(facts.begin(), facts.end(), fact) != facts.end(); });
}

// What the command line says, without what only a manifest can fill in.
struct Wanted {
  store::Pin pin;  // its problem's facts are the given ones
  explicit Wanted(const Context& context) {
    const Arguments& arguments = context.arguments;
    pin.problem.kernel = arguments.required("KERNEL");
    pin.problem.dims = parse_shape(arguments.required("--shape"), "--shape");
    pin.problem.facts = parse_assignments(arguments.all("--set"), "--set");
    pin.regime = arguments.text("--regime", spec::plain_regime);
    pin.gpu = arguments.text("--gpu");
  }

  bool could_be(const store::Pin& stored) const {
    store::Pin whole = pin;
    whole.problem.facts = stored.problem.facts;
    return store::same_place(whole, stored) && agrees(pin.problem.facts, stored.problem.facts);
  }
};

// A pin whose kernel is gone, or has another problem of this shape by now, is found by what is stored of it. Throws
// UserError where several are.
std::optional<std::size_t> orphan_of(const std::vector<store::Pin>& pins, const Wanted& wanted,
                                     const spec::Catalog& catalog) {
  std::vector<std::size_t> orphans;
  for (std::size_t i = 0; i < pins.size(); ++i)
    if (wanted.could_be(pins[i]) && !is_problem_now(catalog, pins[i].problem)) orphans.push_back(i);
  if (orphans.empty()) return std::nullopt;
  if (orphans.size() == 1) return orphans.front();
  std::string titles;
  for (const std::size_t i : orphans) titles += (titles.empty() ? "" : ", ") + report::pin_title(pins[i]);
  throw UserError("several pins fit: " + titles, "--set", "name the facts of one");
}

std::string where_it_stands(const Context& context, const store::Pin& pin) {
  const store::Layers layers = open_layers(context);
  for (const store::Pin& other : layers.pins())
    if (store::same_place(pin, other))
      return other.layer == "user"
                 ? "one stands in the database: leave --to out"
                 : "one stands in the " + other.layer + " results: add" + flag_of_file(other.layer, other.source);
  return "tuner list shows the pins of every layer";
}

std::size_t index_of(const std::vector<store::Pin>& pins, const Wanted& wanted, const Context& context,
                     const spec::Catalog& catalog) {
  store::Pin whole = wanted.pin;
  try {
    whole.problem = problem_of(context, catalog.at(whole.problem.kernel, "tuner unpin"));
  } catch (const UserError&) {
    if (const auto orphan = orphan_of(pins, wanted, catalog)) return *orphan;
    throw;
  }
  for (std::size_t i = 0; i < pins.size(); ++i)
    if (store::same_place(whole, pins[i])) return i;
  if (const auto orphan = orphan_of(pins, wanted, catalog)) return *orphan;
  throw NothingFound("there is no such pin: " + report::pin_title(whole), overrules_path(context),
                     where_it_stands(context, whole));
}

}  // namespace

int cmd_unpin(const Context& context) {
  const spec::Catalog catalog = load_catalog(context);
  const Wanted wanted(context);
  std::optional<store::Pin> removed;
  edit_overrules(context, [&](store::Overrules& overrules) {
    auto& pins = overrules.pins;
    const auto at = pins.begin() + static_cast<std::ptrdiff_t>(index_of(pins, wanted, context, catalog));
    removed = *at;
    pins.erase(at);
  });
  std::cout << (context.json ? report::unpin_json(*removed) : report::unpin_text(*removed, context.style));
  return 0;
}

}  // namespace tuner::cli
