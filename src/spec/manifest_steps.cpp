// What a manifest launches.
#include <fmt/core.h>

#include <algorithm>

#include "core/suggest.h"
#include "spec/manifest_reader.h"

namespace tuner::spec {
namespace {

constexpr std::size_t kMaxSteps = 64;

Allowed within(const StepSpec& step, const std::string& place) {
  Allowed allowed = Allowed::everything(place);
  allowed.index = step.index;
  return allowed;
}

std::vector<std::string> buffer_names(const KernelSpec& kernel) {
  std::vector<std::string> names;
  for (const ArgSpec& arg : kernel.args)
    if (arg.size) names.push_back(arg.name);
  return names;
}

bool takes(const StepSpec& step, const ArgSpec& arg) {
  if (step.arguments.empty()) return arg.symbol.empty();
  return std::find(step.arguments.begin(), step.arguments.end(), arg.name) != step.arguments.end();
}

}  // namespace

void ManifestReader::steps() {
  const Cursor all = root_.at("steps");
  bool whole = true;
  for (const Cursor& body : all.items()) {
    whole &= attempt([&] { body.find("steps") ? repeat(body) : step(body, {}); });
  }
  const auto launches = [](const StepSpec& step) { return step.kind == Step::Kind::launch; };
  const auto first = std::find_if(kernel_.steps.begin(), kernel_.steps.end(), launches);
  if (kernel_.steps.size() > kMaxSteps) all.fail("there are more than 64 steps");
  if (const auto entry = root_.find("entry"))
    kernel_.entry = entry->function();
  else if (first != kernel_.steps.end())
    kernel_.entry = first->target;
  if (whole && first == kernel_.steps.end()) all.fail("'steps' launches nothing");
}

// Before the arguments are read, whose scalars may use them.
void ManifestReader::indices() {
  const auto all = root_.find("steps");
  if (!all || !all->is_list()) return;
  for (const Cursor& body : all->items())
    if (body.is_map())
      if (const auto index = body.find("index")) attempt([&] { names_.add(index->name(), Meaning::index, *index); });
}

void ManifestReader::add_index(StepSpec& step, const Cursor& body) {
  Allowed allowed;
  allowed.place = "'repeat'";
  step.repeat = expression(body, "repeat", allowed);
  if (const auto index = body.find("index")) {
    if (!step.repeat) index->fail("'index' needs 'repeat', how often");
    step.index = index->name();
  }
}

void ManifestReader::repeat(const Cursor& body) {
  keys(body, "repeat");
  body.at("repeat");
  StepSpec around;
  add_index(around, body);
  const std::size_t before = kernel_.steps.size();
  around.group = static_cast<int>(before) + 1;
  const std::vector<Cursor> inner_steps = body.at("steps").items();
  for (const Cursor& each : inner_steps) {
    attempt([&] {
      for (const char* key : {"repeat", "steps"})
        if (const auto inner = each.find(key)) inner->fail("a 'repeat' within a 'repeat'", "write the inner steps out");
      if (const auto inner = each.find("index")) inner->fail("'index' belongs beside the 'repeat' around these steps");
      step(each, around);
    });
  }
  if (inner_steps.empty()) body.at("steps").fail("'repeat' repeats nothing");
}

void ManifestReader::step(const Cursor& body, const StepSpec& around) {
  StepSpec step = around;
  const bool is_memset = body.find("memset").has_value();
  if (is_memset == body.find("launch").has_value()) body.fail("a step needs either 'launch' or 'memset'");
  is_memset ? memset(step, body) : launch(step, body);
  kernel_.steps.push_back(std::move(step));
}

void ManifestReader::memset(StepSpec& step, const Cursor& body) {
  keys(body, "memset");
  step.kind = Step::Kind::memset;
  const Cursor target = body.at("memset");
  step.target = target.name();
  const std::vector<std::string> buffers = buffer_names(kernel_);
  if (args_whole_ && std::find(buffers.begin(), buffers.end(), step.target) == buffers.end())
    target.fail("'" + step.target + "' is no buffer among 'args'", did_you_mean(step.target, buffers));
  const std::int64_t byte = body.at("value").integer();
  if (byte < 0 || byte > 255) body.at("value").fail("'value' must be a byte, 0 to 255");
  step.byte = static_cast<int>(byte);
  step.when = expression(body, "when", within(step, "'when'"));
}

void ManifestReader::launch(StepSpec& step, const Cursor& body) {
  keys(body, "launch");
  if (!step.repeat) add_index(step, body);
  attempt([&] { step.target = body.at("launch").function(); });
  attempt([&] { step.grid = extents(step, body, "grid"); });
  attempt([&] { step.block = extents(step, body, "block"); });
  if (body.find("cluster")) attempt([&] { step.cluster = extents(step, body, "cluster"); });
  step.shared = expression(body, "shared", within(step, "'shared'"));
  step.when = expression(body, "when", within(step, "'when'"));
  step.cooperative = expression(body, "cooperative", within(step, "'cooperative'"));
  if (const auto list = body.find("template"))
    for (const Cursor& item : list->items_or_one()) {
      attempt([&] {
        step.template_arguments.push_back(item.expression());
        names_.check(step.template_arguments.back(), within(step, "'template'"));
      });
    }
  if (!args_whole_) return;
  if (const auto list = body.find("args")) attempt([&] { launch_arguments(step, *list); });
  attempt([&] { check_scalars(step); });
}

// A scalar made of an index has no value in a launch that no `repeat` with that index holds.
void ManifestReader::check_scalars(const StepSpec& step) {
  for (const ArgSpec& arg : kernel_.args) {
    if (!takes(step, arg)) continue;
    Allowed allowed;
    allowed.place = "the scalar '" + arg.name + "' of the launch of '" + step.target + "', outside of that 'repeat'";
    allowed.index = step.index;
    for (const ScalarSpec& field : arg.fields)
      if (field.value) names_.check(*field.value, allowed);
  }
}

void ManifestReader::launch_arguments(StepSpec& step, const Cursor& list) {
  std::vector<std::string> known;
  for (const ArgSpec& arg : kernel_.args) known.push_back(arg.name);
  for (const Cursor& item : list.items()) {
    const std::string name = item.name();
    const auto arg =
        std::find_if(kernel_.args.begin(), kernel_.args.end(), [&](const ArgSpec& each) { return each.name == name; });
    if (arg == kernel_.args.end()) item.fail("'" + name + "' is not among 'args'", did_you_mean(name, known));
    if (!arg->symbol.empty()) item.fail("'" + name + "' is a __constant__ symbol and no argument of a launch");
    step.arguments.push_back(name);
  }
  if (step.arguments.empty()) list.fail("a launch without arguments does nothing");
}

std::vector<space::Expr> ManifestReader::extents(const StepSpec& step, const Cursor& body, const char* key) {
  const Cursor list = body.at(key);
  std::vector<space::Expr> extents;
  for (const Cursor& item : list.items_or_one()) {
    attempt([&] {
      extents.emplace_back();
      extents.back() = item.expression();
      names_.check(extents.back(), within(step, fmt::format("'{}'", key)));
    });
  }
  if (extents.empty() || extents.size() > 3) list.fail(fmt::format("'{}' must hold 1 to 3 extents", key));
  return extents;
}

// What nothing writes cannot be read or judged.
void ManifestReader::check_flow(const Cursor& all) {
  for (const ArgSpec& arg : kernel_.args) {
    if (!arg.size || is_read(arg.role) || arg.role == Role::accumulator) continue;
    const bool taken = std::any_of(kernel_.steps.begin(), kernel_.steps.end(), [&](const StepSpec& step) {
      return step.kind == Step::Kind::launch && takes(step, arg);
    });
    if (!taken)
      all.fail("no launch takes the " + std::string(to_text(arg.role)) + " '" + arg.name + "'",
               "name it in the 'args' of the launch that writes it");
  }
}

}  // namespace tuner::spec
