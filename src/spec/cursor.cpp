#include "spec/cursor.h"

#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include <algorithm>

#include "core/error.h"
#include "core/identifier.h"
#include "core/suggest.h"

namespace tuner::spec {
namespace {

bool is_number(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string shown(const std::string& text) {
  constexpr std::size_t limit = 60;
  std::string line = text.size() <= limit ? text : text.substr(0, limit - 3) + "...";
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace

std::string Cursor::where() const {
  return *path_ + ":" + std::to_string(node_->line) + ":" + std::to_string(node_->column);
}

void Cursor::fail(const std::string& what, const std::string& hint) const { throw UserError(what, where(), hint); }

void Cursor::wrong(std::string_view wanted) const {
  std::string got;
  switch (node_->kind) {
    case YamlNode::Kind::null:
      got = "nothing";
      break;
    case YamlNode::Kind::scalar:
      got = fmt::format("'{}'", shown(node_->text));
      break;
    case YamlNode::Kind::list:
      got = "a list";
      break;
    case YamlNode::Kind::map:
      got = "a map";
      break;
  }
  fail(label_ + " must be " + std::string(wanted) + ", not " + got);
}

void Cursor::check_keys(const std::vector<std::string>& known) const {
  if (!is_map()) wrong("a map");
  for (const auto& [key, value] : node_->fields)
    if (std::find(known.begin(), known.end(), key.text) == known.end()) Cursor(key, *path_, label_).fail_unknown(known);
}

void Cursor::fail_unknown(const std::vector<std::string>& known) const {
  fail("unknown key '" + shown(node_->text) + "'", did_you_mean(node_->text, known));
}

std::optional<Cursor> Cursor::find(std::string_view key) const {
  if (!is_map()) wrong("a map");
  for (const auto& [name, value] : node_->fields)
    if (name.text == key) return Cursor(value, *path_, "'" + name.text + "'");
  return std::nullopt;
}

Cursor Cursor::at(std::string_view key) const {
  if (const auto found = find(key)) return *found;
  throw MissingKey((label_.empty() ? std::string("the file") : label_) + " has no '" + std::string(key) + "'", where(),
                   std::string(key));
}

std::vector<std::pair<Cursor, Cursor>> Cursor::fields() const {
  if (!is_map()) wrong("a map");
  std::vector<std::pair<Cursor, Cursor>> list;
  for (const auto& [key, value] : node_->fields)
    list.emplace_back(Cursor(key, *path_, "a key of " + label_),
                      Cursor(value, *path_, fmt::format("'{}'", shown(key.text))));
  return list;
}

std::vector<Cursor> Cursor::items() const {
  if (!is_list()) wrong("a list");
  std::vector<Cursor> list;
  for (const YamlNode& item : node_->items) list.emplace_back(item, *path_, "an item of " + label_);
  return list;
}

std::vector<Cursor> Cursor::items_or_one() const { return is_list() ? items() : std::vector<Cursor>{*this}; }

const std::string& Cursor::text() const {
  if (node_->kind != YamlNode::Kind::scalar) wrong("a text");
  return node_->text;
}

std::string Cursor::name() const {
  if (node_->kind != YamlNode::Kind::scalar) wrong("a name");
  constexpr std::size_t limit = 64;
  const auto value = value_from_text(node_->text);
  if (!value || !std::holds_alternative<Name>(*value)) wrong("a name (letters, digits and _)");
  if (node_->text.size() > limit) fail("the name '" + shown(node_->text) + "' is longer than 64 characters");
  return node_->text;
}

std::string Cursor::function() const {
  if (node_->kind != YamlNode::Kind::scalar) wrong("a name");
  constexpr std::size_t limit = 256;
  const std::string_view all = node_->text;
  if (all.size() > limit) fail("the name '" + shown(node_->text) + "' is longer than 256 characters");
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find("::", begin), all.size());
    if (!is_identifier(all.substr(begin, end - begin)))
      wrong("a function's name (letters, digits and _; its namespaces in front, a::f)");
    begin = end + 2;
  }
  return node_->text;
}

std::int64_t Cursor::integer() const {
  if (node_->kind != YamlNode::Kind::scalar || !is_number(node_->text)) wrong("an integer");
  const auto value = value_from_text(node_->text);
  if (!value) fail("the integer " + shown(node_->text) + " does not fit 64 bits");
  return std::get<std::int64_t>(*value);
}

double Cursor::real() const {
  if (node_->kind != YamlNode::Kind::scalar) wrong("a number");
  const std::string& text = node_->text;
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) wrong("a number");
  return number;
}

bool Cursor::truth() const {
  if (node_->kind != YamlNode::Kind::scalar || (node_->text != "true" && node_->text != "false"))
    wrong("true or false");
  return node_->text == "true";
}

Value Cursor::value() const {
  if (node_->kind == YamlNode::Kind::scalar && is_number(node_->text)) return integer();
  const auto value = node_->kind == YamlNode::Kind::scalar ? value_from_text(node_->text) : std::nullopt;
  if (!value) wrong("an integer, true, false or a name");
  if (std::holds_alternative<Name>(*value)) return Name{name()};
  return *value;
}

space::Expr Cursor::expression(space::Numbers numbers) const {
  if (node_->kind != YamlNode::Kind::scalar) wrong("an expression");
  return space::Expr::parse(node_->text, {*path_, node_->line, node_->column, node_->one_line}, numbers);
}

void check_version(const Cursor& root) {
  const std::string hint = "its first line is 'tuner: 1'";
  if (!root.is_map()) root.fail("the file must be a map of keys", hint);
  const auto fields = root.fields();
  if (fields.empty() || fields.front().first.text() != "tuner")
    root.fail("the file does not begin with 'tuner: 1'", hint);
  const std::int64_t version = fields.front().second.integer();
  if (version != 1)
    fields.front().second.fail("version " + std::to_string(version) + " of this file format is not known",
                               "this tuner reads 'tuner: 1'");
}

}  // namespace tuner::spec
