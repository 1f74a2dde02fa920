#include "spec/names.h"

#include <algorithm>

#include "core/error.h"
#include "core/suggest.h"
#include "core/value.h"

namespace tuner::spec {
namespace {

std::string described(Meaning meaning) {
  switch (meaning) {
    case Meaning::dimension:
      return "a dimension";
    case Meaning::fact:
      return "a fact";
    case Meaning::parameter:
      return "a parameter";
    case Meaning::choice:
      return "a value of a parameter";
    case Meaning::let:
      return "a 'let'";
    case Meaning::type:
      return "an element type";
    case Meaning::gpu:
      return "a name of the GPU";
    case Meaning::regime:
      return "the dependent regime";
    case Meaning::index:
      return "the index of a 'repeat'";
    case Meaning::metric:
      return "a metric";
    case Meaning::time:
      return "the measured time";
    case Meaning::word:
      return "a word of the expression language";
    case Meaning::unsure:
      break;
  }
  return {};
}

std::string named(Meaning meaning) { return meaning == Meaning::metric ? "a metric" : "'let'"; }

}  // namespace

const std::vector<std::string>& gpu_names() {
  static const std::vector<std::string> kNames = {"arch", "warp_size", "sm_count", "shared_max"};
  return kNames;
}

const std::vector<std::string>& time_names() {
  static const std::vector<std::string> kNames = {"time_us", "time_s"};
  return kNames;
}

const std::vector<std::string>& type_names() {
  static const std::vector<std::string> kNames = {"f64",     "f32",     "f16",  "bf16", "i8",  "u8",
                                                  "i16",     "u16",     "i32",  "u32",  "i64", "u64",
                                                  "f8_e4m3", "f8_e5m2", "bool", "i4",   "u4"};
  return kNames;
}

Allowed Allowed::everything(const std::string& place) {
  Allowed allowed;
  allowed.place = place;
  return allowed;
}

Allowed Allowed::problem(const std::string& place) {
  Allowed allowed = everything(place);
  allowed.params = 0;
  return allowed;
}

Allowed Allowed::metric(const std::string& place) {
  Allowed allowed = everything(place);
  allowed.metrics = true;
  return allowed;
}

Names::Names() {
  for (const std::string& name : type_names()) names_[name] = {Meaning::type, 0};
  for (const std::string& name : gpu_names()) names_[name] = {Meaning::gpu, 0};
  for (const char* name : {"true", "false", "in", "and", "or", "not", "ceil_div", "min", "max", "pow2", "log2"})
    names_[name] = {Meaning::word, 0};
}

void Names::add(const std::string& name, Meaning meaning, const Cursor& at) {
  const auto [place, fresh] = names_.try_emplace(name, Known{meaning, params_});
  const Meaning other = place->second.meaning;
  const bool same = meaning == other && (meaning == Meaning::choice || meaning == Meaning::index);
  if (other == Meaning::unsure) place->second = Known{meaning, params_};
  if (!fresh && !same && other != Meaning::unsure && !(meaning == Meaning::choice && other == Meaning::type))
    at.fail("'" + name + "' has two meanings: " + described(other) + " and " + described(meaning),
            "give one of them another name");
  if (meaning == Meaning::parameter) ++params_;
}

void Names::add_named(const std::string& name, Meaning meaning, space::Expr expression, const Cursor& at) {
  add(name, meaning, at);
  named_.emplace(name, std::move(expression));
}

void Names::assume(const std::string& name) { names_.try_emplace(name, Known{Meaning::unsure, 0}); }

bool Names::is_unsure(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? forgiving_ : found->second.meaning == Meaning::unsure;
}

const Names::Known& Names::known(const space::Expr& expression, const std::string& name) const {
  const auto found = names_.find(name);
  if (found != names_.end()) return found->second;
  static const Known kUnsure{Meaning::unsure, 0};
  if (forgiving_) return kUnsure;
  std::vector<std::string> all;
  for (const auto& [other, meaning] : names_)
    if (meaning.meaning != Meaning::word) all.push_back(other);
  throw expression.error_at(name, "unknown name '" + name + "'", did_you_mean(name, all));
}

void Names::check_named(const std::string& name) {
  const auto expression = named_.find(name);
  if (expression == named_.end()) return;
  for (const std::string& used : expression->second.names()) known(expression->second, used);
  std::vector<std::string> open;
  check_cycle(name, open);
}

void Names::check_cycle(const std::string& name, std::vector<std::string>& open) {
  if (acyclic_[name]) return;
  constexpr std::size_t limit = 16;
  open.push_back(name);
  const space::Expr& expression = named_.at(name);
  const auto refuse = [&](const std::string& used, const std::string& what) {
    for (const std::string& each : open) acyclic_[each] = true;
    throw expression.error_at(used, what);
  };
  for (const std::string& used : expression.names()) {
    if (named_.count(used) == 0) continue;
    if (std::find(open.begin(), open.end(), used) != open.end()) refuse(used, "'" + used + "' uses itself");
    if (open.size() >= limit)
      refuse(used,
             named(names_.at(name).meaning) + " within " + named(names_.at(name).meaning) + " is more than 16 deep");
    check_cycle(used, open);
  }
  open.pop_back();
  acyclic_[name] = true;
}

bool Names::uses_time(const std::string& name) const {
  const auto expression = named_.find(name);
  if (expression == named_.end()) return false;
  const auto names = expression->second.names();
  return std::any_of(names.begin(), names.end(), [this](const std::string& used) {
    const auto found = names_.find(used);
    return found != names_.end() &&
           (found->second.meaning == Meaning::time || (found->second.meaning == Meaning::metric && uses_time(used)));
  });
}

std::string Names::not_allowed(const std::string& name, const Allowed& allowed,
                               std::map<std::string, bool>& seen) const {
  if (seen[name]) return {};
  seen[name] = true;
  const auto found = names_.find(name);
  if (found == names_.end()) return {};
  bool fine = true;
  switch (found->second.meaning) {
    case Meaning::dimension:
      fine = allowed.dims;
      break;
    case Meaning::fact:
      fine = allowed.facts;
      break;
    case Meaning::gpu:
    case Meaning::regime:
      fine = allowed.gpu;
      break;
    case Meaning::parameter:
      fine = allowed.params < 0 || found->second.number < allowed.params;
      break;
    case Meaning::choice:
      fine = allowed.params != 0;
      break;
    case Meaning::let:
      fine = allowed.lets;
      break;
    case Meaning::index:
      fine = allowed.any_index || name == allowed.index;
      break;
    case Meaning::metric:
    case Meaning::time:
      fine = allowed.metrics;
      break;
    case Meaning::type:
    case Meaning::word:
    case Meaning::unsure:
      break;
  }
  if (!fine) return name;
  if (named_.count(name) == 0) return {};
  for (const std::string& used : named_.at(name).names())
    if (std::string bad = not_allowed(used, allowed, seen); !bad.empty()) return bad;
  return {};
}

void Names::check(const space::Expr& expression, const Allowed& allowed) const {
  for (const std::string& name : expression.names()) {
    known(expression, name);
    std::map<std::string, bool> seen;
    const std::string bad = not_allowed(name, allowed, seen);
    if (bad.empty()) continue;
    const Known& what = names_.at(bad);
    const bool later = what.meaning == Meaning::parameter && allowed.params > 0;
    const std::string through = bad == name ? "" : " (which '" + name + "' uses)";
    throw expression.error_at(name,
                              "'" + bad + "'" + through + " is " + described(what.meaning) +
                                  (later ? " declared later" : "") + " and cannot be used in " + allowed.place,
                              later ? "move '" + bad + "' before it" : "");
  }
}

}  // namespace tuner::spec
