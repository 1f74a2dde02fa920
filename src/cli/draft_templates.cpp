#include "cli/draft_templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/cpp_types.h"
#include "core/identifier.h"
#include "core/value.h"

namespace tuner::cli {
namespace {

// "int N = 2" in its parts.
struct Declared {
  std::string text, kind, name, standard;
  bool is_type() const { return kind == "typename" || kind == "class"; }
};

std::string_view without_ends(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

Declared parts_of(const std::string& text) {
  Declared declared;
  declared.text = text;
  const std::size_t equals = text.find('=');
  const std::string_view front = without_ends(std::string_view(text).substr(0, equals));
  if (equals != std::string::npos) declared.standard = without_ends(std::string_view(text).substr(equals + 1));
  std::size_t name = front.size();
  while (name > 0 && in_identifier(front[name - 1])) --name;
  declared.name = front.substr(name);
  declared.kind = without_ends(front.substr(0, name));
  return declared;
}

bool is_floating_of_ours(const std::string& type) {
  const auto known = type_from_text(type);
  return known && is_floating(*known) && bits_of(*known) < 32;
}

class Templates {
 public:
  Templates(const NamedNumbers& numbers, const std::vector<std::string>& taken) : numbers_(numbers), taken_(taken) {}

  void add(const Declared& declared, const std::string& given) {
    const std::string value = given.empty() ? declared.standard : given;
    declared.is_type() ? add_type(declared, value) : add_number(declared, value);
  }

  DraftTemplates made;

 private:
  void add_type(const Declared& declared, const std::string& value) {
    const std::string type = manifest_type(value);
    const bool known = type_from_text(type).has_value();
    if (!value.empty()) made.types[declared.name] = value;
    made.values.push_back(known ? type : "f32");
    if (!known)
      made.open.push_back(
          fmt::format("the type {}{}", declared.name, value.empty() ? "" : ", " + value + " in the source"));
    else if (is_floating_of_ours(type))
      made.open.push_back(
          fmt::format("the type {} is {} in the source, and here that of tuner_intrinsics.cuh", declared.name, value));
  }

  void add_number(const Declared& declared, const std::string& value) {
    const auto named =
        std::find_if(numbers_.begin(), numbers_.end(), [&](const auto& one) { return one.first == value; });
    if (named != numbers_.end()) return add_param(named->first, std::to_string(named->second));
    const bool free = std::find(taken_.begin(), taken_.end(), declared.name) == taken_.end() && !declared.name.empty();
    if (const auto number = number_of(value); number && free) return add_param(declared.name, std::to_string(*number));
    const bool enumerator = is_identifier(value) && value != "true" && value != "false";
    if (enumerator && free) return add_param(declared.name, value);  // a named choice stands in the list as it is
    const bool written = value == "true" || value == "false" || number_of(value).has_value();
    made.values.push_back(written ? value : declared.kind == "bool" ? "false" : "1");
    if (!written)
      made.open.push_back(
          fmt::format("the value of '{}'{}", declared.text, value.empty() ? "" : ", " + value + " in the source"));
  }

  void add_param(const std::string& name, const std::string& value) {
    made.values.push_back(name);
    made.params.emplace_back(name, value);
  }

  const NamedNumbers& numbers_;
  const std::vector<std::string>& taken_;
};

}  // namespace

DraftTemplates draft_templates(const std::vector<std::string>& declared, const std::vector<std::string>& given,
                               const NamedNumbers& numbers, const std::vector<std::string>& taken) {
  Templates templates(numbers, taken);
  for (std::size_t i = 0; i < declared.size(); ++i)
    templates.add(parts_of(declared[i]), i < given.size() ? given[i] : std::string());
  return std::move(templates.made);
}

std::string with_types(const std::string& type, const std::map<std::string, std::string>& types) {
  std::string text = type;
  for (const auto& [name, value] : types)
    if (const std::size_t at = find_word(text, name); at != std::string::npos) text.replace(at, name.size(), value);
  return text;
}

}  // namespace tuner::cli
