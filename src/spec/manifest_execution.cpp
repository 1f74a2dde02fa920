// The part of a manifest that says what is launched on what, and what it costs.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "core/suggest.h"
#include "spec/manifest_reader.h"

namespace tuner::spec {
namespace {

constexpr std::size_t kMaxArgs = 64;
constexpr std::size_t kMaxSteps = 64;

Allowed everything(const std::string& place) {
  Allowed allowed;
  allowed.place = place;
  return allowed;
}

Allowed problem_only(const std::string& place) {
  Allowed allowed = everything(place);
  allowed.params = 0;
  return allowed;
}

// One of `words`; `what` for the message.
std::size_t word_of(const Cursor& at, const std::string& what, const std::vector<std::string>& words) {
  const auto found = std::find(words.begin(), words.end(), at.text());
  if (found == words.end()) at.fail("unknown " + what + " '" + at.text() + "'", did_you_mean(at.text(), words));
  return static_cast<std::size_t>(found - words.begin());
}

// "uniform(-1, 1)" or "constant(0)".
Fill fill_at(const Cursor& at) {
  const std::string& text = at.text();
  const std::string hint = "write uniform(low, high) or constant(value)";
  const std::size_t open = text.find('(');
  const std::string kind = text.substr(0, open);
  if (open == std::string::npos || text.back() != ')' || (kind != "uniform" && kind != "constant"))
    at.fail("'" + text + "' is not a fill", hint);
  std::vector<double> numbers;
  const char* p = text.data() + open + 1;
  const char* const end = text.data() + text.size() - 1;
  for (;;) {
    while (p != end && *p == ' ') ++p;
    double number = 0;
    const auto [stop, fault] = std::from_chars(p, end, number);
    if (fault != std::errc{} || !(number >= -3e38 && number <= 3e38)) at.fail("'" + text + "' is not a fill", hint);
    numbers.push_back(number);
    for (p = stop; p != end && *p == ' ';) ++p;
    if (p == end) break;
    if (*p++ != ',') at.fail("'" + text + "' is not a fill", hint);
  }
  if (numbers.size() != (kind == "uniform" ? 2U : 1U)) at.fail("'" + text + "' is not a fill", hint);
  if (kind == "constant") return {Fill::Kind::constant, numbers[0], numbers[0]};
  if (numbers[0] >= numbers[1]) at.fail("the low end of '" + text + "' is not below its high end");
  return {Fill::Kind::uniform, numbers[0], numbers[1]};
}

}  // namespace

void ManifestReader::args() {
  const Cursor all = root_.at("args");
  for (const Cursor& body : all.items()) arg(body);
  if (kernel_.args.empty()) all.fail("'args' is empty");
  if (kernel_.args.size() > kMaxArgs) all.fail("there are more than 64 arguments");
}

void ManifestReader::arg(const Cursor& body) {
  body.check_keys({"name", "type", "size", "role", "align", "fill", "value"});
  ArgSpec arg;
  arg.name = body.at("name").name();
  for (const ArgSpec& other : kernel_.args)
    if (other.name == arg.name) body.at("name").fail("the argument '" + arg.name + "' stands twice");
  const Cursor type = body.at("type");
  arg.type = type.name();
  if (!type_from_text(arg.type)) {
    std::vector<std::string> known = type_names();
    bool found = false;
    for (const auto& [name, expression] : kernel_.facts) {
      if (!type_from_text(expression.text())) continue;
      known.push_back(name);
      found |= name == arg.type;
    }
    if (!found)
      type.fail("'" + arg.type + "' is neither an element type nor a fact that holds one",
                did_you_mean(arg.type, known));
  }
  if (body.find("size").has_value() == body.find("value").has_value())
    body.fail("the argument '" + arg.name + "' needs either 'size' (a buffer) or 'value' (a scalar)");
  if (body.find("size")) {
    buffer(arg, body);
  } else {
    for (const char* key : {"role", "align", "fill"})
      if (const auto field = body.find(key)) field->fail(fmt::format("'{}' is for buffers only", key));
    arg.value = expression(body, "value", everything("'value'"));
  }
  kernel_.args.push_back(std::move(arg));
}

void ManifestReader::buffer(ArgSpec& arg, const Cursor& body) {
  static const std::vector<std::string> kRoles = {"weight", "activation", "output", "scratch"};
  arg.role = static_cast<Role>(word_of(body.at("role"), "role", kRoles));
  // The sizes of everything but scratch belong to the problem: they are the same for all candidates.
  const std::string place = "the size of '" + arg.name + "'";
  arg.size = expression(body, "size", arg.role == Role::scratch ? everything(place) : problem_only(place));
  arg.align = expression(body, "align", everything("'align'"));
  if (const auto fill = body.find("fill")) arg.fill = fill_at(*fill);
}

void ManifestReader::steps() {
  const Cursor all = root_.at("steps");
  bool launches = false;
  for (const Cursor& body : all.items()) {
    StepSpec step;
    const bool is_memset = body.find("memset").has_value();
    if (is_memset == body.find("launch").has_value()) body.fail("a step needs either 'launch' or 'memset'");
    is_memset ? memset(step, body) : launch(step, body);
    launches |= !is_memset;
    kernel_.steps.push_back(std::move(step));
  }
  if (!launches) all.fail("'steps' launches nothing");
  if (kernel_.steps.size() > kMaxSteps) all.fail("there are more than 64 steps");
  const auto first = std::find_if(kernel_.steps.begin(), kernel_.steps.end(),
                                  [](const StepSpec& step) { return step.kind == Step::Kind::launch; });
  const auto entry = root_.find("entry");
  kernel_.entry = entry ? entry->name() : first->target;
}

void ManifestReader::memset(StepSpec& step, const Cursor& body) {
  body.check_keys({"memset", "value", "when"});
  step.kind = Step::Kind::memset;
  const Cursor target = body.at("memset");
  step.target = target.name();
  std::vector<std::string> buffers;
  for (const ArgSpec& arg : kernel_.args)
    if (arg.size) buffers.push_back(arg.name);
  if (std::find(buffers.begin(), buffers.end(), step.target) == buffers.end())
    target.fail("'" + step.target + "' is no buffer among 'args'", did_you_mean(step.target, buffers));
  const std::int64_t byte = body.at("value").integer();
  if (byte < 0 || byte > 255) body.at("value").fail("'value' must be a byte, 0 to 255");
  step.byte = static_cast<int>(byte);
  step.when = expression(body, "when", everything("'when'"));
}

void ManifestReader::launch(StepSpec& step, const Cursor& body) {
  body.check_keys({"launch", "grid", "block", "shared", "when"});
  step.target = body.at("launch").name();
  step.grid = extents(body, "grid");
  step.block = extents(body, "block");
  step.shared = expression(body, "shared", everything("'shared'"));
  step.when = expression(body, "when", everything("'when'"));
}

std::vector<space::Expr> ManifestReader::extents(const Cursor& body, const char* key) {
  const Cursor list = body.at(key);
  std::vector<space::Expr> extents;
  for (const Cursor& item : list.items_or_one()) {
    extents.push_back(item.expression());
    names_.check(extents.back(), everything(fmt::format("'{}'", key)));
  }
  if (extents.empty() || extents.size() > 3) list.fail(fmt::format("'{}' must hold 1 to 3 extents", key));
  return extents;
}

void ManifestReader::costs() {
  if (const auto traffic = root_.find("traffic")) {
    traffic->check_keys({"read", "write"});
    kernel_.traffic_read = expression(*traffic, "read", problem_only("'traffic'"));
    kernel_.traffic_write = expression(*traffic, "write", problem_only("'traffic'"));
  }
  kernel_.flops = expression(root_, "flops", problem_only("'flops'"));
  static const std::vector<std::string> kBounds = {"memory", "compute"};
  if (const auto bound = root_.find("bound_by")) kernel_.bound_by = kBounds[word_of(*bound, "bound", kBounds)];
  kernel_.bytes_in_flight = expression(root_, "bytes_in_flight", everything("'bytes_in_flight'"));
  kernel_.chain = expression(root_, "chain", everything("'chain'"));
  kernel_.deterministic = expression(root_, "deterministic", everything("'deterministic'"));
  if (const auto baselines = root_.find("baselines")) {
    static const std::vector<std::string> kBaselines = {"cublas"};
    for (const Cursor& item : baselines->items_or_one())
      kernel_.baselines.push_back(kBaselines[word_of(item, "baseline", kBaselines)]);
  }
}

void ManifestReader::reference() {
  const Cursor at = root_.at("reference");
  if (at.is_map() || at.is_list() || (at.text() != "gemv" && at.text() != "none"))
    at.fail("'reference' must be one of gemv, none");
  kernel_.reference = at.text();
  if (kernel_.reference == "gemv") check_gemv(at);
}

// The built-in reference finds its matrix and vectors by role.
void ManifestReader::check_gemv(const Cursor& at) {
  if (kernel_.dims.size() != 2) at.fail("the reference gemv needs two dims, rows and columns");
  for (const Role role : {Role::weight, Role::activation, Role::output}) {
    const auto count = std::count_if(kernel_.args.begin(), kernel_.args.end(),
                                     [role](const ArgSpec& arg) { return arg.size && arg.role == role; });
    if (count != 1)
      at.fail("the reference gemv needs one buffer of role " + std::string(to_text(role)) + ", not " +
              std::to_string(count));
  }
}

}  // namespace tuner::spec
